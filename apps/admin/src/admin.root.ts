import { Injectable } from '@nestjs/common';
import type { Admins } from '@vuka/http';
import type { ServiceRoot } from '@vuka/service-host';

import { gatheredOperations } from './gathered-operations.js';
import { RemoteServices } from './remote-services.js';

/** Stores nothing and has no rights of its own. */
@Injectable()
export class AdminRoot implements ServiceRoot {
  readonly adminOperations: Admins;

  constructor(services: RemoteServices) {
    this.adminOperations = gatheredOperations(services.operations, { isRunning: true });
  }

  async start(): Promise<void> {
    // Does nothing by itself.
  }
}
