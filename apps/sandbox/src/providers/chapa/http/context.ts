import type { CallbackQueue } from '../../simulation/callback-queue.js';
import type { SimulatorClock } from '../../simulation/simulator-clock.js';
import type { WithheldAnswers } from '../../http/withheld-answers.js';
import type { QuestionSigning, SigningFault } from '../behaviour/behaviour.js';
import type { ChapaBook } from '../book/chapa-book.js';
import type { ChapaSettings } from '../settings.js';

/** What the operations work on; one simulator's. */
export interface Context {
  /** The merchant's secret key. */
  readonly token: string;
  /** The URLs of webhooks and questions may be set while it runs. */
  settings: ChapaSettings;
  readonly clock: SimulatorClock;
  readonly book: ChapaBook;
  readonly webhooks: CallbackQueue<SigningFault>;
  readonly questions: CallbackQueue<QuestionSigning>;
  readonly withheld: WithheldAnswers;
  /** How many calls that pay each reference has had, since the start. */
  readonly submits: Map<string, number>;
  /** What callers know it as. */
  readonly baseUrl: () => string;
  /** Does what is due and waits until questions and webhooks have been answered. */
  readonly settle: () => Promise<void>;
}
