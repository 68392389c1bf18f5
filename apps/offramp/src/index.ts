export type { OfframpDependencies } from './app.module.js';
export { SANDBOX_XPUB } from './sandbox-xpub.js';
export { SANDBOX_SCREENED } from './screening.js';
export { startOfframp, type OfframpService } from './start-offramp.js';
export { OFFRAMP_MIGRATIONS } from './store/migrations.js';
