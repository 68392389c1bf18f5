import { Inject, Injectable } from '@nestjs/common';
import type { adminApi, InternalClient } from '@vuka/contracts';
import type { AdminServiceName } from '@vuka/data-folder';
import type { Clock, SigningKey } from '@vuka/runtime';
import { ASSERTION_KEY, CLOCK } from '@vuka/service-host';

import { remoteOperations } from './remote-operations.js';
import { forEachService, type ServiceOperations } from './service-calls.js';

/** Clients by service name. */
export const ADMIN_CLIENTS = Symbol('ADMIN_CLIENTS');
export type AdminClients = Readonly<Record<AdminServiceName, InternalClient<typeof adminApi>>>;

@Injectable()
export class RemoteServices {
  readonly operations: ServiceOperations;

  constructor(
    @Inject(ADMIN_CLIENTS) clients: AdminClients,
    @Inject(ASSERTION_KEY) signing: SigningKey,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.operations = forEachService((service) => remoteOperations(service, clients[service], signing, clock));
  }
}
