import { Inject, Injectable } from '@nestjs/common';
import { coverageDigest, type Coverage } from '@vuka/domain';
import { isWithin, type Logger, type Moment, momentOf, type Clock, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, COVERAGE, LOGGER } from '@vuka/service-host';

/** A new file reaches each service in its own time. */
export const ROLLED_OUT_WITHIN_MS = 2 * 60_000;
/** What was not heard of for so long is over. */
const OVER_AFTER_MS = 3_600_000;
/** More than there are gateways. */
const MOST_REMEMBERED = 64;

interface Heard {
  readonly first: Moment;
  readonly last: Moment;
  readonly isTold: boolean;
}

/**
 * A gateway that routes by another providers file than ours for over two minutes is logged, once. It refuses what we
 * would pay, or passes on what we refuse: `AcceptanceChecks` judges by ours.
 */
@Injectable()
export class RoutesWatch {
  private readonly heard = new Map<string, Heard>();

  constructor(
    @Inject(COVERAGE) private readonly coverage: Coverage,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** undefined: not sent. */
  hear(digest: string | undefined): void {
    const ours = coverageDigest(this.coverage);
    if (digest === undefined || digest === ours) return;
    const now = momentOf(this.clock);
    const before = this.heard.get(digest);
    const known = before !== undefined && isWithin(OVER_AFTER_MS, before.last, now) ? before : undefined;
    const first = known?.first ?? now;
    const isLong = !isWithin(ROLLED_OUT_WITHIN_MS, first, now);
    if (isLong && known?.isTold !== true)
      this.log.error(
        { code: 'providers_file_differs', gateway_routes: digest, payments_routes: ours },
        'a gateway routes by another providers file than payments',
      );
    if (known === undefined && this.heard.size >= MOST_REMEMBERED) this.heard.clear();
    this.heard.set(digest, { first, last: now, isTold: isLong });
  }
}
