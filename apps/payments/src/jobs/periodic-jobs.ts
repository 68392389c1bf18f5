import { Injectable } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';

import { CorridorJobs } from '../corridors/index.js';
import { StaleAlerts } from '../due-work/index.js';
import { FloatJobs } from '../provider-watch/index.js';
import { GrantRefunds } from '../refunds/index.js';
import { ForgetRows } from './forget-rows.js';

@Injectable()
export class PeriodicJobs {
  constructor(
    private readonly jobs: JobClock,
    private readonly pager: StaleAlerts,
    private readonly floats: FloatJobs,
    private readonly granter: GrantRefunds,
    private readonly forgetter: ForgetRows,
    private readonly corridors: CorridorJobs,
  ) {}

  register(): void {
    this.jobs.every('payments.stale-alerts', async () => {
      await Promise.all([this.pager.run(), this.floats.alert(), this.corridors.alert()]);
    });
    this.jobs.every('payments.read-floats', () => this.floats.read());
    this.jobs.every('payments.read-availability', () => this.corridors.readAvailability());
    this.jobs.every('payments.grant-refunds', () => this.granter.runAll());
    this.jobs.every('payments.forget-kept-values', () => this.forgetter.run());
  }
}
