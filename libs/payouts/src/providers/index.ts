import type { ProviderFactory } from '../provider-factory.js';
import { chapa } from './chapa/factory.js';
import { pawapay } from './pawapay/factory.js';
import { paystack } from './paystack/factory.js';
import { sandboxFactory } from './sandbox/factory.js';

/** Every provider that is built in. Beside it, `PREFERENCE` orders them, and what starts the sandbox names its own. */
export const PROVIDERS = {
  sandbox: sandboxFactory('sandbox'),
  sandbox_b: sandboxFactory('sandbox_b'),
  pawapay,
  paystack,
  chapa,
} as const satisfies Record<string, ProviderFactory>;

export type ProviderId = keyof typeof PROVIDERS;

export const PROVIDER_IDS = Object.keys(PROVIDERS) as readonly ProviderId[];

export function factoryOf(id: ProviderId): ProviderFactory {
  return PROVIDERS[id];
}
