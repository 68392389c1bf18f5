import { Inject, Injectable } from '@nestjs/common';
import type { deskApi, InternalClient } from '@vuka/contracts';
import type { AdminServiceName } from '@vuka/data-folder';
import type { Desks } from '@vuka/http';
import type { Clock } from '@vuka/runtime';
import { CLOCK, type ServiceRoot } from '@vuka/service-host';

import { gatheredOperations } from './gathered-operations.js';
import { remoteOperations } from './remote-operations.js';
import { forEachService } from './service-calls.js';

type Client = InternalClient<typeof deskApi>;

/** The services' clients by name, each made of the tokens of the host. */
export const ADMIN_CLIENTS = Symbol('ADMIN_CLIENTS');
export type AdminClients = Readonly<Record<AdminServiceName, Client>>;

/** One HTTP API over the admin operations of the services. It keeps nothing and may do nothing by itself. */
@Injectable()
export class AdminRoot implements ServiceRoot {
  readonly adminOperations: Desks;

  constructor(@Inject(ADMIN_CLIENTS) clients: AdminClients, @Inject(CLOCK) clock: Clock) {
    const services = forEachService((service) => remoteOperations(service, clients[service], clock));
    this.adminOperations = gatheredOperations(services, { isRunning: true });
  }

  async start(): Promise<void> {
    // Nothing works here unasked.
  }
}
