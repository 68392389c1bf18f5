import { Injectable } from '@nestjs/common';
import type { Admins, PeopleDoor } from '@vuka/http';
import type { ServiceRoot } from '@vuka/service-host';

import { gatheredOperations } from './gathered-operations.js';
import { People } from './people/people.js';
import { RemoteServices } from './remote-services.js';

/** Knows people. Has no right of its own: services judge what it asserts. */
@Injectable()
export class AdminRoot implements ServiceRoot {
  readonly adminOperations: Admins;
  readonly people: PeopleDoor;

  constructor(
    services: RemoteServices,
    private readonly known: People,
  ) {
    this.adminOperations = gatheredOperations(services.operations, { people: known, isRunning: true });
    this.people = known.door;
  }

  start(): Promise<void> {
    return this.known.begin();
  }
}
