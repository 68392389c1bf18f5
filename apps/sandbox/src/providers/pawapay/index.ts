import type { PawapaySimulator, PawapaySimulatorOptions } from './pawapay-simulator.js';

export { NUMBERS } from './behaviour/numbers.js';
export type { Control } from './control/control.js';
export type { PawapaySimulator, PawapaySimulatorOptions };
export type { PawapaySettings, SettingsInput } from './settings.js';

/** As in pawapay-simulator.ts, which is loaded when it is called: a start of Vuka has no pawaPay. */
export async function startPawapaySimulator(options: PawapaySimulatorOptions): Promise<PawapaySimulator> {
  return (await import('./pawapay-simulator.js')).startPawapaySimulator(options);
}
