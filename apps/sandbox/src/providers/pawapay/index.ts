export { NUMBERS } from './behaviour/numbers.js';
export type { Control } from './control/control.js';
export { type PawapaySimulator, type PawapaySimulatorOptions, startPawapaySimulator } from './pawapay-simulator.js';
export type { PawapaySettings, SettingsInput } from './settings.js';
