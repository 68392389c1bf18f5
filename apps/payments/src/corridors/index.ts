export { type CorridorScope, covers, type PaidBy, paidBy, type ProviderCorridor, scopeName } from './corridor.js';
export { type CorridorSwitch, CorridorSwitchStore } from './corridor-switch.store.js';
export { CorridorHealth } from './corridor-health.js';
export { CorridorJobs } from './corridor-jobs.js';
export { CorridorHealthModule, CorridorsModule } from './corridors.module.js';
export { type CorridorState, OpenCorridors } from './open-corridors.js';
export { type CorridorWish, SwitchCorridors } from './switch-corridors.js';
export { WakeCorridor } from './wake-corridor.js';
