export { FolderInUseError } from './folder-lock.js';
export type { ProfileId } from './book/rail-profile.js';
export {
  type RailLog,
  type SandboxRail,
  type SandboxRailOptions,
  sandboxCredential,
  startSandboxRail,
} from './sandbox-rail.js';
