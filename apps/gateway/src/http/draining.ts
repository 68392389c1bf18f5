import { Injectable } from '@nestjs/common';

/** Set once the server takes no new connections: every answer then closes its own. */
@Injectable()
export class Draining {
  now = false;
}
