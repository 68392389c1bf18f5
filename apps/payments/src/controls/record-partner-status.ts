import { Inject, Injectable } from '@nestjs/common';
import type { Envelope } from '@vuka/contracts';
import { Database, type Queryable } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { WakeStopped } from './wake-stopped.js';

type PartnerEvent = Envelope<'partner.suspended'> | Envelope<'partner.resumed'>;

/** The higher sequence counts, so events need no mark. An active partner's waiting payouts become due. */
@Injectable()
export class RecordPartnerStatus {
  constructor(
    @Inject(Database) private readonly db: Queryable,
    private readonly stopped: WakeStopped,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async run({ data, sequence }: PartnerEvent): Promise<void> {
    const { partner_id: partnerId, status } = data;
    await this.db.query(
      `insert into partner_statuses as p (partner_id, status, sequence, told_at) values ($1, $2, $3, $4)
       on conflict (partner_id) do update set status = excluded.status, sequence = excluded.sequence, told_at = excluded.told_at where p.sequence < excluded.sequence`,
      [partnerId, status, sequence, this.clock.now()],
      { name: 'record_partner_status' },
    );
    // Also after a crash. If a newer event stopped the partner, they wait on.
    if (status === 'active') await this.stopped.run(partnerId);
  }
}
