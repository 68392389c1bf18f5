import type { NameAnswer, NameProvider, NameQuestion } from '@vuka/payouts';
import type { Clock, Logger } from '@vuka/platform';

/** What is asked, but for the time that is left for it. */
export type RailQuestion = Omit<NameQuestion, 'timeoutMs'>;

/** With less than this left no rail is asked any more. */
const WORTH_ASKING_MS = 50;

const OUT_OF_TIME: NameAnswer = { outcome: 'failed', detail: 'no time left' };

export interface AskRailsOptions {
  /** In order of preference. */
  readonly rails: readonly NameProvider[];
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Asks the rails whose name is on a destination, one after the other: the next one only where the one before did not say.
 * Where there is no rail that tells names, none can tell this one.
 */
export class AskRails {
  constructor(private readonly options: AskRailsOptions) {}

  /** Answers by `deadlineMs` (epoch), whatever the rails do. `failed`: none of them said. */
  async run(question: RailQuestion, deadlineMs: number): Promise<NameAnswer> {
    const { rails, clock, log } = this.options;
    let last: NameAnswer = rails.length === 0 ? { outcome: 'cannot_tell' } : OUT_OF_TIME;
    for (const rail of rails) {
      const timeoutMs = deadlineMs - clock.now().getTime();
      if (timeoutMs < WORTH_ASKING_MS) break;
      last = await answerWithin(timeoutMs, rail.lookUpName({ ...question, timeoutMs }), OUT_OF_TIME);
      if (last.outcome !== 'failed') return last;
      const { currency, destination } = question;
      log.warn({ rail: rail.id, currency, kind: destination.kind, detail: last.detail }, 'a rail did not tell a name');
    }
    return last;
  }
}

/** What `work` comes to, or `late` after `ms`. The work itself goes on to its own bounds. */
export async function answerWithin<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, waited]);
  } finally {
    clearTimeout(timer);
  }
}
