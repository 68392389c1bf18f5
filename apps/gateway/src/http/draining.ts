import { Injectable } from '@nestjs/common';

/** During shutdown every answer closes its connection. */
@Injectable()
export class Draining {
  now = false;
}
