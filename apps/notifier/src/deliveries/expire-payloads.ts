import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { Database } from '@vuka/persistence';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, CLOCK_AGREES, type ClockAgrees, LOGGER, SETTINGS } from '@vuka/service-host';

const DAY_MS = 86_400_000;
const BATCH = 1_000;
const MOST_BATCHES = 20;

/** The log itself stays. */
@Injectable()
export class ExpirePayloads {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CLOCK_AGREES) private readonly clockAgrees: ClockAgrees,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    const { db, clock, log } = this;
    const { webhookPayloadDays: payloadDays } = this.settings;
    // With a wrong clock, everything could look old.
    if (!(await this.clockAgrees())) return;
    const now = clock.now();
    await db.query(
      'update webhook_secrets set previous_sealed_secret = null, previous_until = null where previous_until <= $1',
      [now],
    );
    let cleared = 0;
    for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
      const rows = await db.query(EXPIRE_SQL, [new Date(now.getTime() - payloadDays * DAY_MS), BATCH]);
      cleared += rows.length;
      if (rows.length < BATCH) break;
    }
    if (cleared > 0) log.info({ deliveries: cleared }, 'the bodies of old webhooks were cleared');
  }
}

// Rows being resent are locked or pending and keep their body.
const EXPIRE_SQL = `
with old as (
  select id, occurred_at from deliveries
  where settled_at < $1 and state <> 'pending' and body is not null
  order by settled_at
  limit $2
  for update skip locked
)
update deliveries d set body = null
from old
where d.id = old.id and d.occurred_at = old.occurred_at
returning 1`;
