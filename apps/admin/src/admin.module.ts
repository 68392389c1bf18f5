import { Module } from '@nestjs/common';
import type { adminApi, InternalClient } from '@vuka/contracts';
import { ADMIN_SERVICES } from '@vuka/data-folder';
import type { Settings } from '@vuka/config';
import type { KnownOperator } from '@vuka/http';
import { Database } from '@vuka/persistence';
import type { Clock, Logger } from '@vuka/runtime';
import { adminClientOf, CLOCK, LOGGER, OPERATORS_IN_FILE, SETTINGS } from '@vuka/service-host';

import { AdminRoot } from './admin.root.js';
import { People } from './people/people.js';
import { ADMIN_CLIENTS, RemoteServices } from './remote-services.js';

@Module({
  providers: [
    {
      provide: ADMIN_CLIENTS,
      inject: ADMIN_SERVICES.map(adminClientOf),
      useFactory: (...clients: readonly InternalClient<typeof adminApi>[]) =>
        Object.fromEntries(ADMIN_SERVICES.map((service, place) => [service, clients[place]])),
    },
    {
      provide: People,
      inject: [Database, SETTINGS, OPERATORS_IN_FILE, CLOCK, LOGGER],
      useFactory: (db: Database, { env }: Settings, file: readonly KnownOperator[], clock: Clock, log: Logger) =>
        new People({ db, env, file, clock, log }),
    },
    RemoteServices,
    AdminRoot,
  ],
})
export class AdminModule {}
