import { Inject, Injectable, Module } from '@nestjs/common';
import type { OpenAdmin } from '@vuka/contracts';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database, resealMethods } from '@vuka/persistence';
import { type Clock, WebhookCipher } from '@vuka/runtime';
import { CLOCK, type AdminGround, KEY_PEPPERS, type KeyPeppers, openAdmin } from '@vuka/service-host';

import { OUTBOUND_POLICY_PROVIDER } from '../partners/index.js';
import { gatewayMigrations } from '../store/migrations.js';
import { KeyAdmin, keyAdminMethods } from './key-admin.js';
import { PartnerAdmin, partnerAdminMethods } from './partner-admin.js';
import { pepperMethods, sealedColumns } from './sealed-columns.js';
import { TermsAdmin, termsAdminMethods } from './terms-admin.js';

export type GatewayAdminMethods = ReturnType<typeof actMethods> &
  ReturnType<typeof deadLetterMethods> &
  ReturnType<typeof standingMethods> &
  ReturnType<typeof keyAdminMethods> &
  ReturnType<typeof partnerAdminMethods> &
  ReturnType<typeof termsAdminMethods>;

const standingMethods = (db: Database, clock: Clock, told: WebhookCipher, peppers: KeyPeppers) => ({
  ...resealMethods(db, clock, sealedColumns(told)),
  ...pepperMethods(db, peppers, clock),
});

/** About the keys of what is stored. */
@Injectable()
class StandingMethods {
  readonly methods: ReturnType<typeof standingMethods>;

  constructor(
    db: Database,
    @Inject(CLOCK) clock: Clock,
    told: WebhookCipher,
    @Inject(KEY_PEPPERS) peppers: KeyPeppers,
  ) {
    this.methods = standingMethods(db, clock, told, peppers);
  }
}

@Injectable()
export class GatewayAdmin {
  readonly methods: GatewayAdminMethods;

  constructor(
    db: Database,
    @Inject(CLOCK) clock: Clock,
    keys: KeyAdmin,
    partners: PartnerAdmin,
    terms: TermsAdmin,
    standing: StandingMethods,
  ) {
    this.methods = {
      ...actMethods(db),
      ...deadLetterMethods(db, clock),
      ...standing.methods,
      ...keyAdminMethods(keys),
      ...partnerAdminMethods(partners),
      ...termsAdminMethods(terms),
    };
  }
}

@Module({ providers: [OUTBOUND_POLICY_PROVIDER, KeyAdmin, PartnerAdmin, TermsAdmin, StandingMethods, GatewayAdmin] })
class AdminModule {}

/** Uses gateway's own login. Throws if the database is away or refuses it. */
export function openGatewayAdmin(ground: AdminGround): Promise<OpenAdmin<GatewayAdminMethods>> {
  return openAdmin({ name: 'gateway', migrations: gatewayMigrations, module: AdminModule, root: GatewayAdmin }, ground);
}
