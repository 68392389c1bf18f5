import type { PaystackSimulator, PaystackSimulatorOptions } from './paystack-simulator.js';

export { NUMBERS } from './behaviour/numbers.js';
export type { Control } from './control/control.js';
export type { PaystackSimulator, PaystackSimulatorOptions };
export type { PaystackSettings, SettingsInput } from './settings.js';

/** As in paystack-simulator.ts, which is loaded when it is called: a start of Vuka has no Paystack. */
export async function startPaystackSimulator(options: PaystackSimulatorOptions): Promise<PaystackSimulator> {
  return (await import('./paystack-simulator.js')).startPaystackSimulator(options);
}
