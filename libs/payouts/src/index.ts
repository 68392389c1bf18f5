export * from './conformance/provider-conformance.js';
export * from './payout-provider.js';
export { sandboxProvider, type SandboxProviderOptions } from './providers/sandbox/sandbox-provider.js';
export * from './routes.js';
export { MAX_TEXT, railText } from './rail-text.js';
