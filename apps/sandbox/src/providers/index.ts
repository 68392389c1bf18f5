export { FolderInUseError } from './folder-lock.js';
export type { ProfileId } from './book/provider-profile.js';
export {
  type ProviderLog,
  type SandboxProvider,
  type SandboxProviderOptions,
  sandboxCredential,
  startSandboxProvider,
} from './sandbox-provider.js';
