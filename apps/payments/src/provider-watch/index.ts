export { AttemptEnds } from './attempt-ends.js';
export { FloatJobs } from './float-jobs.js';
export { FloatWatch } from './float-watch.js';
export { OpenAttempts } from './open-attempts.js';
export { ProviderWatchModule } from './provider-watch.module.js';
export { ReadFloats } from './read-floats.js';
