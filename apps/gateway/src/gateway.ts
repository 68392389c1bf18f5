import type { ServiceDefinition } from '@vuka/service-host';

import { openGatewayAdmin } from './admin/index.js';
import { AppModule } from './app.module.js';
import { createGatewayApp } from './create-gateway-app.js';
import { GatewayRoot } from './gateway.root.js';
import { ApiKeyEntity, PartnerEntity } from './keys/index.js';
import { gatewayMigrations } from './store/migrations.js';

export const gateway: ServiceDefinition<GatewayRoot> = {
  name: 'gateway',
  database: {
    migrations: gatewayMigrations,
    entities: [PartnerEntity, ApiKeyEntity],
    partitioned: ['outbox', 'inbox'],
  },
  // Each is a commit; connections are for requests.
  eventsAtOnce: 1,
  module: AppModule,
  root: GatewayRoot,
  createApp: createGatewayApp,
  openAdmin: openGatewayAdmin,
};
