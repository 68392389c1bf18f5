import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { StaleAlerts } from './alerts/index.js';
import { DueClaims } from './claims/index.js';
import { QuoteStore } from './quotes/index.js';
import { Rates } from './rates/index.js';

/** After expiry. */
const QUOTES_KEPT_MS = 7 * 24 * 3_600_000;

/** Registered before the clock starts. */
@Injectable()
export class OfframpJobs implements OnApplicationBootstrap {
  public constructor(
    private readonly jobs: JobClock,
    private readonly dueClaims: DueClaims,
    private readonly alerts: StaleAlerts,
    private readonly rates: Rates,
    private readonly quotes: QuoteStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  public onApplicationBootstrap(): void {
    this.jobs.every('offramp.check-deposits', () => this.dueClaims.notify());
    this.jobs.every('offramp.stale-alerts', () => this.alerts.run());
    this.jobs.every('offramp.refresh-rates', () => this.rates.refresh());
    this.jobs.every('offramp.forget-quotes', () =>
      this.quotes.forgetIdle(new Date(this.clock.now().getTime() - QUOTES_KEPT_MS)),
    );
  }
}
