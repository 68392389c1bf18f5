export * from './availability-provider.js';
export * from './callback-path.js';
export * from './conformance/harness.js';
export { describeHonestSimulator } from './conformance/honest-provider.js';
export { describeRudeSimulator } from './conformance/rude-provider.js';
export { type KeptValues, ProviderValues } from './kept-values.js';
export * from './payout-provider.js';
export * from './statement-provider.js';
export { type ChapaOptions, chapaProvider, type ChapaProvider } from './providers/chapa/index.js';
export { type PawapayOptions, pawapayProvider, type PawapayProvider } from './providers/pawapay/index.js';
export { type PaystackOptions, paystackProvider, type PaystackProvider } from './providers/paystack/index.js';
export { payoutIdOf } from './providers/pawapay/payout-id.js';
export {
  type ConnectedControl,
  sandboxControl,
  type SandboxControlOptions,
} from './providers/sandbox/sandbox-control.js';
export type { SandboxProfile } from './providers/sandbox/sandbox-profiles.js';
export { sandboxProvider, type SandboxProviderOptions } from './providers/sandbox/sandbox-provider.js';
export { providersPage, withCoverage } from './ways/providers-page.js';
export { recommendedRoutes, waysOf } from './ways/recommended-routes.js';
export { PROVIDER_IDS, PROVIDERS, type ProviderId } from './providers/index.js';
export {
  type CarriedCorridor,
  type ProviderFactory,
  type ProviderRow,
  type ProviderSecret,
} from './provider-factory.js';
export { readProvidersFile, type ProvidersFile } from './file/providers-file.js';
export type { ConfiguredProvider, ProvidersFileRules } from './file/provider-rows.js';
export { connectProviders, type ConnectedProviders } from './connect-providers.js';
export { measuredProvider } from './measured-provider.js';
export { MAX_TEXT, providerText } from './provider-text.js';
