import { Inject, Injectable } from '@nestjs/common';
import type { Envelope } from '@vuka/contracts';
import { Database } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { DueRefunds, PartnerStatusStore, RefundStore } from '../refunds/index.js';

type PartnerEvent = Envelope<'partner.suspended'> | Envelope<'partner.resumed'>;

/** No handled mark: the higher sequence wins. Resuming makes waiting refunds due. */
@Injectable()
export class RecordPartnerStatus {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query'>,
    @Inject(DueRefunds) private readonly dueRefunds: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  public async run({ data, sequence }: PartnerEvent): Promise<void> {
    const { partner_id: partnerId, status } = data;
    const now = this.clock.now();
    await new PartnerStatusStore(this.db).record({ partnerId, status, sequence }, now);
    if (status !== 'active') return;
    await new RefundStore(this.db).wakeSuspended(partnerId, now);
    this.dueRefunds.notify();
  }
}
