export * from './conformance/harness.js';
export { describeHonestRail } from './conformance/honest-rail.js';
export { describeRudeRail } from './conformance/rude-rail.js';
export * from './payout-provider.js';
export {
  type ConnectedControl,
  sandboxControl,
  type SandboxControlOptions,
} from './providers/sandbox/sandbox-control.js';
export type { SandboxProfile } from './providers/sandbox/sandbox-profiles.js';
export { sandboxProvider, type SandboxProviderOptions } from './providers/sandbox/sandbox-provider.js';
export {
  connectSandboxRails,
  sandboxRailFile,
  type ConnectedRails,
  type SandboxRailAddress,
} from './providers/sandbox/sandbox-rails.js';
export * from './routes.js';
export { MAX_TEXT, railText } from './rail-text.js';
