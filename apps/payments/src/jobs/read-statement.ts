import type { StatementEntry, StatementPage, StatementProvider } from '@vuka/payouts';
import type { Clock, Logger } from '@vuka/runtime';

import type { AttemptStore, HintedEntry } from '../transactions/index.js';

/** Enough for minutes of the busiest provider. */
const REMEMBERED = 200_000;
/** Failed reads in a row before an alarm: a minute of a provider that is read each second. */
const PATIENCE = 60;
/** The rest follows in the next round, so that shutdown is not delayed. */
const PAGES_PER_ROUND = 20;
const HINTED_AT_ONCE = 1_000;

/**
 * Polls every attempt whose statement entry differs from our record. The statement is only a hint; postings follow
 * the answer about the attempt. Payments under unknown ids, and of other amounts than ours, raise an alarm.
 */
export class ReadStatement {
  private cursor: string | null | undefined;
  private readAt: Date | undefined;
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
    if (!this.isDue()) return false;
    this.cursor ??= await this.attempts.statementCursor(this.provider.id);
    for (let pages = 0; pages < PAGES_PER_ROUND; pages++) {
      const page = await this.provider.statement(this.cursor);
      if (!page) return this.failed();
      this.failures = 0;
      await this.take(page);
      this.hasCaughtUp ||= page.next === this.cursor;
      if (page.next === this.cursor) return false;
      await this.attempts.saveStatementCursor(this.provider.id, page.next, this.clock.now());
      this.cursor = page.next;
      this.hasCaughtUp ||= !page.more;
      if (!page.more) return false;
    }
    return true;
  }

  /** A statement that is made on demand is shared by all processes, so the cursor is read anew. */
  private isDue(): boolean {
    const { statementEveryMs: everyMs } = this.provider.capabilities;
    if (everyMs === undefined) return true;
    const now = this.clock.now();
    if (this.readAt !== undefined && now.getTime() - this.readAt.getTime() < everyMs) return false;
    this.readAt = now;
    this.cursor = undefined;
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
    if (this.failures === PATIENCE) this.sayUnreadable({});
    return false;
  }

  private sayUnreadable(what: { detail?: string; lines?: number }): void {
    this.log.error(
      { code: 'statement_unreadable', provider: this.provider.id, ...what },
      "a provider's statement cannot be read",
    );
  }

  private async take({ entries, unreadable = 0, trouble }: StatementPage): Promise<void> {
    for (let at = 0; at < entries.length; at += HINTED_AT_ONCE)
      await this.hint(entries.slice(at, at + HINTED_AT_ONCE).map((entry) => this.withOrder(entry)));
    if (unreadable > 0) this.sayUnreadable({ lines: unreadable });
    if (trouble !== undefined) this.sayUnreadable({ detail: trouble });
  }

  private async hint(entries: readonly HintedEntry[]): Promise<void> {
    const provider = this.provider.id;
    const { checks, unknown, differing } = await this.attempts.hint(provider, entries, this.clock.now());
    if (checks > 0) this.watches.notify();
    if (unknown > 0) {
      this.log.error(
        { code: 'statement_unknown_payment', provider, payments: unknown },
        'the statement of a provider lists payments with unknown ids',
      );
    }
    if (differing.length > 0) {
      this.log.error(
        {
          code: 'statement_amount_differs',
          provider,
          payments: differing.length,
          transactions: differing.slice(0, 10),
        },
        'the statement of a provider lists payments of ours with other amounts than we told it to pay',
      );
    }
  }
}
