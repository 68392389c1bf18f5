import { Injectable } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';

import { CorridorJobs } from '../corridors/index.js';
import { StaleAlerts } from '../due-work/index.js';
import { FloatWatch, ReadFloats } from '../provider-watch/index.js';
import { GrantRefunds } from '../refunds/index.js';

@Injectable()
export class PeriodicJobs {
  constructor(
    private readonly jobs: JobClock,
    private readonly pager: StaleAlerts,
    private readonly floatWatch: FloatWatch,
    private readonly floatReader: ReadFloats,
    private readonly granter: GrantRefunds,
    private readonly corridors: CorridorJobs,
  ) {}

  register(): void {
    this.jobs.every('payments.stale-alerts', async () => {
      await Promise.all([this.pager.run(), this.floatWatch.alert(), this.corridors.alert()]);
    });
    this.jobs.every('payments.read-floats', () => this.floatReader.run());
    this.jobs.every('payments.read-availability', () => this.corridors.readAvailability());
    this.jobs.every('payments.grant-refunds', () => this.granter.runAll());
  }
}
