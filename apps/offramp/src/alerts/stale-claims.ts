import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import { SERVED_CHAIN_NAMES } from '../chains/index.js';
import { ClaimWatch } from '../claim-work/index.js';
import { Switches } from '../switches/index.js';

/** Long enough for an endpoint to restart. */
const PATIENCE_MS = 5 * 60_000;
/** Every chain finalises faster. */
const FINALITY_PATIENCE_MS = 3_600_000;

@Injectable()
export class StaleClaims {
  public constructor(
    @Inject(ClaimWatch) private readonly watch: Pick<ClaimWatch, 'open' | 'troubledSince' | 'unfinal'>,
    @Inject(Switches) private readonly switches: Pick<Switches, 'all'>,
    @Inject(SERVED_CHAIN_NAMES) private readonly served: ReadonlySet<string>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    const now = this.clock.now().getTime();
    const minutesSince = (at: Date): number => Math.floor((now - at.getTime()) / 60_000);
    for (const { chain, asset, offSince, reason, offBy } of await this.switches.all()) {
      this.log.error(
        { code: 'switched_off', chain, asset, minutes: minutesSince(offSince), reason, by: offBy },
        'a person switched it off: no deposits are taken or judged there, and no refunds are sent',
      );
    }
    for (const { chain, count, since, trouble } of await this.watch.troubledSince(new Date(now - PATIENCE_MS))) {
      this.log.error(
        { code: 'claims_in_trouble', chain, claims: count, minutes: minutesSince(since), trouble },
        'deposits cannot be judged and wait',
      );
    }
    for (const { chain, state, count, oldestAt } of await this.watch.open()) {
      if (this.served.has(chain)) continue;
      this.log.error(
        { code: 'chain_not_served', chain, state, claims: count, minutes: minutesSince(oldestAt) },
        'deposits wait, because their chain is not configured here',
      );
    }
    for (const { chain, count, oldestAt } of await this.watch.unfinal()) {
      if (oldestAt.getTime() > now - FINALITY_PATIENCE_MS) continue;
      this.log.error(
        { code: 'deposits_not_final', chain, deposits: count, minutes: minutesSince(oldestAt) },
        'deposits that were paid out are not final for longer than usual',
      );
    }
  }
}
