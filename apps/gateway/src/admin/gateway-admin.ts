import { Inject, Injectable, Module } from '@nestjs/common';
import type { OpenAdmin } from '@vuka/contracts';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK, type AdminGround, openAdmin } from '@vuka/service-host';

import { OUTBOUND_POLICY_PROVIDER } from '../partners/index.js';
import { gatewayMigrations } from '../store/migrations.js';
import { KeyAdmin, keyAdminMethods } from './key-admin.js';
import { PartnerAdmin, partnerAdminMethods } from './partner-admin.js';
import { TermsAdmin, termsAdminMethods } from './terms-admin.js';

export type GatewayAdminMethods = ReturnType<typeof actMethods> &
  ReturnType<typeof deadLetterMethods> &
  ReturnType<typeof keyAdminMethods> &
  ReturnType<typeof partnerAdminMethods> &
  ReturnType<typeof termsAdminMethods>;

@Injectable()
export class GatewayAdmin {
  readonly methods: GatewayAdminMethods;

  constructor(db: Database, @Inject(CLOCK) clock: Clock, keys: KeyAdmin, partners: PartnerAdmin, terms: TermsAdmin) {
    this.methods = {
      ...actMethods(db),
      ...deadLetterMethods(db, clock),
      ...keyAdminMethods(keys),
      ...partnerAdminMethods(partners),
      ...termsAdminMethods(terms),
    };
  }
}

@Module({ providers: [OUTBOUND_POLICY_PROVIDER, KeyAdmin, PartnerAdmin, TermsAdmin, GatewayAdmin] })
class AdminModule {}

/** Uses gateway's own login. Throws if the database is away or refuses it. */
export function openGatewayAdmin(ground: AdminGround): Promise<OpenAdmin<GatewayAdminMethods>> {
  return openAdmin({ name: 'gateway', migrations: gatewayMigrations, module: AdminModule, root: GatewayAdmin }, ground);
}
