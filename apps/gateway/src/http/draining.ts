import { Injectable } from '@nestjs/common';

@Injectable()
export class Draining {
  now = false;
}
