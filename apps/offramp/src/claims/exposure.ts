import { Inject, Injectable } from '@nestjs/common';
import type { ChainSettings } from '@vuka/config';
import type { Exposure } from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';

import { SETTINGS } from '@vuka/service-host';

import { RecheckStore } from './recheck.store.js';

export interface ReadsExposure {
  of(partnerId: number): Promise<Exposure>;
}

/** US cents of one partner's verified deposits that may still vanish. */
export interface ExposureSettings {
  readonly chains: Pick<ChainSettings, 'exposureLimitCents'>;
}

/** Reads without a lock; recording reads again under one. */
@Injectable()
export class PartnerExposure implements ReadsExposure {
  public constructor(
    @Inject(Database) private readonly db: Queryable,
    @Inject(SETTINGS) private readonly settings: ExposureSettings,
  ) {}

  public async of(partnerId: number): Promise<Exposure> {
    return {
      openCents: await RecheckStore.openCents(this.db, partnerId),
      limitCents: this.settings.chains.exposureLimitCents,
    };
  }
}
