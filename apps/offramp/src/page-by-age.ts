import type { Clock, Logger } from '@vuka/platform';

import type { ClaimWatch } from './store/claim-watch.js';

/** An endpoint that is restarted is nobody's concern yet. */
const PATIENCE_MS = 5 * 60_000;

/** Says aloud which claims wait for what does not come by itself: endpoints that answer, a rate, a chain that is configured. */
export class PageByAge {
  public constructor(
    private readonly watch: Pick<ClaimWatch, 'open' | 'troubledSince'>,
    private readonly served: ReadonlySet<string>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    const now = this.clock.now().getTime();
    const minutesSince = (at: Date): number => Math.floor((now - at.getTime()) / 60_000);
    for (const { chain, count, since, trouble } of await this.watch.troubledSince(new Date(now - PATIENCE_MS))) {
      this.log.error({ code: 'claims_in_trouble', chain, claims: count, minutes: minutesSince(since), trouble }, 'deposits cannot be judged; they wait');
    }
    for (const { chain, state, count, oldestAt } of await this.watch.open()) {
      if (this.served.has(chain)) continue;
      this.log.error({ code: 'chain_not_served', chain, state, claims: count, minutes: minutesSince(oldestAt) }, 'deposits are claimed on a chain that is not configured here; they wait');
    }
  }
}
