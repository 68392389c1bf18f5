export { FolderInUseError } from './folder-lock.js';
export type { ProfileId } from './book/provider-profile.js';
export {
  type ProviderLog,
  type SandboxProvider,
  type SandboxProviderOptions,
  sandboxCredential,
  startSandboxProvider,
} from './sandbox-provider.js';
export {
  type ChapaSettings,
  type ChapaSimulator,
  type ChapaSimulatorOptions,
  type Control as ChapaControl,
  NUMBERS as CHAPA_NUMBERS,
  startChapaSimulator,
} from './chapa/index.js';
export {
  type Control as PawapayControl,
  NUMBERS as PAWAPAY_NUMBERS,
  type PawapaySettings,
  type PawapaySimulator,
  type PawapaySimulatorOptions,
  startPawapaySimulator,
} from './pawapay/index.js';
export {
  type Control as PaystackControl,
  NUMBERS as PAYSTACK_NUMBERS,
  type PaystackSettings,
  type PaystackSimulator,
  type PaystackSimulatorOptions,
  startPaystackSimulator,
} from './paystack/index.js';
