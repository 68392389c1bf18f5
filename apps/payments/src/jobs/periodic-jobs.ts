import { Injectable } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';

import { StaleAlerts } from '../due-work/index.js';
import { GrantRefunds } from '../refunds/index.js';

@Injectable()
export class PeriodicJobs {
  constructor(
    private readonly jobs: JobClock,
    private readonly pager: StaleAlerts,
    private readonly granter: GrantRefunds,
  ) {}

  register(): void {
    this.jobs.every('payments.stale-alerts', () => this.pager.run());
    this.jobs.every('payments.grant-refunds', () => this.granter.runAll());
  }
}
