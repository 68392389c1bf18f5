import { Injectable } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';

import { StaleAlerts } from '../due-work/index.js';
import { KeptValueStore } from '../kept-values/index.js';
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
    private readonly kept: KeptValueStore,
  ) {}

  register(): void {
    this.jobs.every('payments.stale-alerts', async () => {
      await Promise.all([this.pager.run(), this.floatWatch.alert()]);
    });
    this.jobs.every('payments.read-floats', () => this.floatReader.run());
    this.jobs.every('payments.grant-refunds', () => this.granter.runAll());
    this.jobs.every('payments.forget-kept-values', async () => void (await this.kept.forget()));
  }
}
