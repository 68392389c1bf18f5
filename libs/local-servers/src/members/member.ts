import type { MemberView } from './member-view.js';

export interface Member {
  readonly name: string;
  readonly kind: MemberView['kind'];
  /** Resolves when ready; throws BootError. */
  start(): Promise<void>;
  /** Bounded, then by force. It stays stopped. */
  stop(): Promise<void>;
  /** kill -9; the supervisor restarts it. */
  kill(): void;
  view(): Promise<MemberView>;
  /** To be ended by the next start, if this one is killed. */
  pids(): readonly number[];
}
