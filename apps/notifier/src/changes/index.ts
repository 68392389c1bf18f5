export { ChangesModule } from './changes.module.js';
export { EVENTS_AT_ONCE } from './record-public-change.js';
