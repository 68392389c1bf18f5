import type { MemberView } from './member-view.js';

/** One of the things a stack consists of, and what its supervisor can do with it. */
export interface Member {
  readonly name: string;
  readonly kind: MemberView['kind'];
  /** Resolves when it is ready; throws BootError where it cannot be brought up. */
  start(): Promise<void>;
  /** Asks it to end and waits, bounded; by force then. What is stopped stays so. */
  stop(): Promise<void>;
  /** kill -9. The supervisor starts it again. */
  kill(): void;
  view(): Promise<MemberView>;
  /** Processes that are to be found and ended by the next start, should this one be killed. */
  pids(): readonly number[];
}
