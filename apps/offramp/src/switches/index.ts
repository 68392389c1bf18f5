export { type SwitchedOff, type SwitchHistory, SwitchStore } from './switch.store.js';
export { Switches } from './switches.js';
export { SwitchesModule } from './switches.module.js';
