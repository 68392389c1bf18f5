import type { StatementEntry, StatementProvider } from '@vuka/payouts';
import type { Clock, Logger } from '@vuka/runtime';

import type { AttemptStore, HintedEntry } from '../transactions/index.js';

/** Enough for minutes of the busiest provider. */
const REMEMBERED = 200_000;
/** Failed reads in a row before an alarm: about a minute. */
const PATIENCE = 60;
/** The rest follows in the next round, so that shutdown is not delayed. */
const PAGES_PER_ROUND = 20;

/**
 * Polls every attempt whose statement entry differs from our record. The statement is only a hint; postings follow
 * the answer about the attempt. Payments under unknown ids raise an alarm.
 */
export class ReadStatement {
  private cursor: string | null | undefined;
  private failures = 0;
  /** Since this reader caught up, newest last. */
  private readonly calledPaid = new Set<string>();
  private hasCaughtUp = false;

  constructor(
    private readonly provider: StatementProvider,
    private readonly attempts: Pick<AttemptStore, 'hint' | 'statementCursor' | 'saveStatementCursor'>,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly watches: { notify(): void },
  ) {}

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

  /** Entries before it caught up, or already forgotten, are never called first. */
  private withOrder(entry: StatementEntry): HintedEntry {
    if (entry.event !== 'paid') return { ...entry, isFirst: false };
    const isFirst = this.hasCaughtUp && !this.calledPaid.has(entry.attemptId);
    this.calledPaid.add(entry.attemptId);
    const [oldest] = this.calledPaid;
    if (this.calledPaid.size > REMEMBERED && oldest !== undefined) this.calledPaid.delete(oldest);
    return { ...entry, isFirst };
  }

  /** Without statements, trouble after a payment is seen only by polls. */
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
        'the statement of a provider lists payments with unknown ids',
      );
    }
  }
}
