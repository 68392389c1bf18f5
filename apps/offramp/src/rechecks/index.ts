export { Rechecks } from './rechecks.js';
export { RechecksModule } from './rechecks.module.js';
export { Returns } from './returns.js';
