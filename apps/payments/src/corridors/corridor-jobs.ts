import { Injectable } from '@nestjs/common';

import { CorridorHealth } from './corridor-health.js';
import { CorridorWatch } from './corridor-watch.js';
import { ReadAvailability } from './read-availability.js';

/** What the job clock runs. */
@Injectable()
export class CorridorJobs {
  constructor(
    private readonly watch: CorridorWatch,
    private readonly reader: ReadAvailability,
    private readonly health: CorridorHealth,
  ) {}

  alert(): Promise<void> {
    return this.watch.alert();
  }

  async readAvailability(): Promise<void> {
    await Promise.all([this.reader.run(), this.health.judge()]);
  }
}
