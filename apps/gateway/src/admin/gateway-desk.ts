import { Inject, Injectable, Module } from '@nestjs/common';
import type { OpenDesk } from '@vuka/contracts';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK, type DeskGround, openDesk } from '@vuka/service-host';

import { OUTBOUND_POLICY_PROVIDER } from '../partners/index.js';
import { gatewayMigrations } from '../store/migrations.js';
import { KeyDesk, keyDeskMethods } from './key-desk.js';
import { PartnerDesk, partnerDeskMethods } from './partner-desk.js';
import { TermsDesk, termsDeskMethods } from './terms-desk.js';

export type GatewayDeskMethods = ReturnType<typeof actMethods> &
  ReturnType<typeof deadLetterMethods> &
  ReturnType<typeof keyDeskMethods> &
  ReturnType<typeof partnerDeskMethods> &
  ReturnType<typeof termsDeskMethods>;

/** What people may see and do of gateway. */
@Injectable()
export class GatewayAdmin {
  readonly methods: GatewayDeskMethods;

  constructor(db: Database, @Inject(CLOCK) clock: Clock, keys: KeyDesk, partners: PartnerDesk, terms: TermsDesk) {
    this.methods = {
      ...actMethods(db),
      ...deadLetterMethods(db, clock),
      ...keyDeskMethods(keys),
      ...partnerDeskMethods(partners),
      ...termsDeskMethods(terms),
    };
  }
}

@Module({ providers: [OUTBOUND_POLICY_PROVIDER, KeyDesk, PartnerDesk, TermsDesk, GatewayAdmin] })
class AdminModule {}

/** Through gateway's own login and tables. Throws where the database is not reached or does not know this login. */
export function openGatewayDesk(ground: DeskGround): Promise<OpenDesk<GatewayDeskMethods>> {
  return openDesk({ name: 'gateway', migrations: gatewayMigrations, module: AdminModule, root: GatewayAdmin }, ground);
}
