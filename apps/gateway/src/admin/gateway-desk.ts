import type { Settings } from '@vuka/config';
import type { OpenDesk } from '@vuka/contracts';
import type { Currencies } from '@vuka/domain';
import { outboundPolicy } from '@vuka/http';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database, missingMigrations, type DatabaseConfig } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';

import { gatewayMigrations } from '../store/migrations.js';
import { keyDeskMethods } from './key-desk.js';
import { partnerDeskMethods } from './partner-desk.js';
import { termsDeskMethods } from './terms-desk.js';

export interface GatewayDeskGround {
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly settings: Settings;
  /** With this deployment's limits and service fees. */
  readonly currencies: Currencies;
  readonly keyPepper: Buffer;
  readonly clock: Clock;
}

export type GatewayDeskMethods = ReturnType<typeof methodsOf>;

/** What people may see and do of gateway: through its own login and tables. Throws where the database is not reached or does not know this login. */
export async function openGatewayDesk(ground: GatewayDeskGround): Promise<OpenDesk<GatewayDeskMethods>> {
  const db = await Database.connect({ ...ground.database, migrations: [] });
  return {
    methods: methodsOf(db, ground),
    missingMigrations: () => missingMigrations(db, gatewayMigrations),
    close: () => db.close(),
  };
}

const methodsOf = (db: Database, { clock, currencies, keyPepper, settings }: GatewayDeskGround) => ({
  ...actMethods(db),
  ...deadLetterMethods(db, clock),
  ...keyDeskMethods({ db, environment: settings.env === 'live' ? 'live' : 'test', pepper: keyPepper, clock }),
  ...partnerDeskMethods({ db, outbound: outboundPolicy(settings), clock }),
  ...termsDeskMethods({ db, currencies, clock }),
});
