import { Module } from '@nestjs/common';

import { CorridorHealthModule } from '../corridors/index.js';
import { AttemptEnds } from './attempt-ends.js';
import { FloatJobs } from './float-jobs.js';
import { FloatStore } from './float.store.js';
import { FloatWatch } from './float-watch.js';
import { OpenAttempts } from './open-attempts.js';
import { ReadFloats } from './read-floats.js';

@Module({
  imports: [CorridorHealthModule],
  providers: [AttemptEnds, FloatJobs, FloatStore, FloatWatch, OpenAttempts, ReadFloats],
  exports: [AttemptEnds, FloatJobs, OpenAttempts],
})
export class ProviderWatchModule {}
