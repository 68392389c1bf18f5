import { Module } from '@nestjs/common';

import { DueWorkModule } from '../due-work/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { CorridorHealth } from './corridor-health.js';
import { CorridorJobs } from './corridor-jobs.js';
import { CorridorStateStore } from './corridor-state.store.js';
import { CorridorSwitchStore } from './corridor-switch.store.js';
import { CorridorWatch } from './corridor-watch.js';
import { OpenCorridors } from './open-corridors.js';
import { ReadAvailability } from './read-availability.js';
import { SwitchCorridors } from './switch-corridors.js';
import { WakeCorridor } from './wake-corridor.js';

/** Its gauge and its reader of providers need what only a running service has. */
const running = [CorridorHealth, CorridorJobs, CorridorWatch, ReadAvailability];
const providers = [CorridorStateStore, CorridorSwitchStore, OpenCorridors, SwitchCorridors, WakeCorridor];

@Module({ imports: [DueWorkModule, TransactionsModule], providers, exports: providers })
export class CorridorsModule {}

@Module({ imports: [CorridorsModule], providers: running, exports: running })
export class CorridorHealthModule {}
