import type { CallbackQueue } from '../../simulation/callback-queue.js';
import type { SimulatorClock } from '../../simulation/simulator-clock.js';
import type { WithheldAnswers } from '../../http/withheld-answers.js';
import type { SigningFault } from '../behaviour/behaviour.js';
import type { KeyRing } from '../callbacks/key-ring.js';
import type { PawapayBook } from '../book/pawapay-book.js';
import type { PawapaySettings } from '../settings.js';
import type { Statements } from '../statements/statements.js';

export type ProviderStatus = 'OPERATIONAL' | 'DELAYED' | 'CLOSED';

/** What the operations work on; one simulator's. */
export interface Context {
  readonly token: string;
  /** The callbacks' URL may be set while it runs. */
  settings: PawapaySettings;
  readonly clock: SimulatorClock;
  readonly book: PawapayBook;
  readonly keys: KeyRing;
  readonly callbacks: CallbackQueue<SigningFault>;
  readonly statements: Statements;
  readonly withheld: WithheldAnswers;
  /** OPERATIONAL where it is not here. */
  readonly providerStatus: Map<string, ProviderStatus>;
  /** How many calls that pay each id has had, since the start. */
  readonly submits: Map<string, number>;
  /** Does what is due and waits until callbacks have been answered. */
  readonly settle: () => Promise<void>;
}

export function statusOf({ providerStatus }: Context, provider: string): ProviderStatus {
  return providerStatus.get(provider) ?? 'OPERATIONAL';
}
