import type { ChapaSimulator, ChapaSimulatorOptions } from './chapa-simulator.js';

export { NUMBERS } from './behaviour/numbers.js';
export type { Control } from './control/control.js';
export type { ChapaSimulator, ChapaSimulatorOptions };
export type { ChapaSettings, SettingsInput } from './settings.js';

/** As in chapa-simulator.ts, which is loaded when it is called: a start of Vuka has no Chapa. */
export async function startChapaSimulator(options: ChapaSimulatorOptions): Promise<ChapaSimulator> {
  return (await import('./chapa-simulator.js')).startChapaSimulator(options);
}
