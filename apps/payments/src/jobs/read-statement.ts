import type { StatementEntry, StatementProvider } from '@vuka/payouts';
import type { Clock, Logger } from '@vuka/runtime';

import type { AttemptStore, HintedEntry } from '../transactions/index.js';

/** Ids kept to tell a first payment from a second: minutes of the busiest provider. */
const REMEMBERED = 200_000;
/** Readings in a row that may fail before somebody should hear of it: about a minute. */
const PATIENCE = 60;
/** Pages in one go; the rest follow in the next, so that stopping is not held up. */
const PAGES_PER_ROUND = 20;

/**
 * Reads on in a provider's statement and has the provider asked about every attempt of which it says other than our record: a
 * reversal, a payment made twice or after a failure. The statement is only a hint; what is posted is what the provider answers about
 * the attempt itself. A payment under an id that is not ours is an alarm.
 */
export class ReadStatement {
  private cursor: string | null | undefined;
  private failures = 0;
  /** Ids that a line has called paid since this reader caught up, newest last. */
  private readonly calledPaid = new Set<string>();
  private hasCaughtUp = false;

  constructor(
    private readonly provider: StatementProvider,
    private readonly attempts: Pick<AttemptStore, 'hint' | 'statementCursor' | 'saveStatementCursor'>,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** Wakes whoever looks at attempts that have ended. */
    private readonly watches: { notify(): void },
  ) {}

  /** Reads what is new, `PAGES_PER_ROUND` pages at most; true when there is more. */
  async run(): Promise<boolean> {
    this.cursor ??= await this.attempts.statementCursor(this.provider.id);
    for (let pages = 0; pages < PAGES_PER_ROUND; pages++) {
      const page = await this.provider.statement(this.cursor);
      if (!page) return this.failed();
      this.failures = 0;
      if (page.entries.length > 0) await this.take(page.entries);
      this.hasCaughtUp ||= page.next === this.cursor;
      if (page.next === this.cursor) return false;
      await this.attempts.saveStatementCursor(this.provider.id, page.next, this.clock.now());
      this.cursor = page.next;
      this.hasCaughtUp ||= !page.more;
      if (!page.more) return false;
    }
    return true;
  }

  /** What was said before this reader caught up, or so long ago that it has forgotten, is never called the first. */
  private withOrder(entry: StatementEntry): HintedEntry {
    if (entry.event !== 'paid') return { ...entry, isFirst: false };
    const isFirst = this.hasCaughtUp && !this.calledPaid.has(entry.attemptId);
    this.calledPaid.add(entry.attemptId);
    const [oldest] = this.calledPaid;
    if (this.calledPaid.size > REMEMBERED && oldest !== undefined) this.calledPaid.delete(oldest);
    return { ...entry, isFirst };
  }

  /** Without it, what goes wrong after a payment is only seen by looks at single attempts. */
  private failed(): false {
    this.failures += 1;
    if (this.failures === PATIENCE)
      this.log.error(
        { code: 'statement_unreadable', provider: this.provider.id },
        "a provider's statement cannot be read",
      );
    return false;
  }

  private async take(entries: readonly StatementEntry[]): Promise<void> {
    const { checks, unknown } = await this.attempts.hint(
      this.provider.id,
      entries.map((entry) => this.withOrder(entry)),
      this.clock.now(),
    );
    if (checks > 0) this.watches.notify();
    if (unknown > 0) {
      this.log.error(
        { code: 'statement_unknown_payment', provider: this.provider.id, payments: unknown },
        'a provider lists payments under ids that are not ours',
      );
    }
  }
}
