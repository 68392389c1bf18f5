import { Module } from '@nestjs/common';
import type { adminApi, InternalClient } from '@vuka/contracts';
import { ADMIN_SERVICES } from '@vuka/data-folder';
import { adminClientOf } from '@vuka/service-host';

import { AdminRoot } from './admin.root.js';
import { ADMIN_CLIENTS, RemoteServices } from './remote-services.js';

@Module({
  providers: [
    {
      provide: ADMIN_CLIENTS,
      inject: ADMIN_SERVICES.map(adminClientOf),
      useFactory: (...clients: readonly InternalClient<typeof adminApi>[]) =>
        Object.fromEntries(ADMIN_SERVICES.map((service, place) => [service, clients[place]])),
    },
    RemoteServices,
    AdminRoot,
  ],
})
export class AdminModule {}
