import type { Exposure } from '@vuka/domain';
import type { Queryable } from '@vuka/persistence';

import type { ReadsExposure } from './look.js';
import { RecheckStore } from './recheck.store.js';

/** How much of a partner's is open: told of as verified, on blocks that may still vanish. Read without a lock: recording looks again. */
export class PartnerExposure implements ReadsExposure {
  public constructor(
    private readonly db: Queryable,
    private readonly limitCents: bigint,
  ) {}

  public async of(partnerId: number): Promise<Exposure> {
    return { openCents: await RecheckStore.openCents(this.db, partnerId), limitCents: this.limitCents };
  }
}
