/** Ledger `from` closes at `fromMs`, each after it `paceMs` later; null: none of them closes. Up to where the next run begins. */
export interface LedgerRun {
  readonly from: number;
  /** Epoch milliseconds. */
  readonly fromMs: number;
  readonly paceMs: number | null;
}

/**
 * Which ledgers have closed, and when, without counting them one by one: a network closes a ledger every few seconds whether anybody
 * looks or not, and while its node is away. A pure function of runs and time.
 */
export class LedgerClock {
  private readonly runs: LedgerRun[] = [];

  /** The newest closed ledger. */
  latestAt(nowMs: number): number {
    const { from, fromMs, paceMs } = this.last;
    return paceMs === null || nowMs < fromMs ? from - 1 : from + Math.floor((nowMs - fromMs) / paceMs);
  }

  /** When a ledger closed, or is to; epoch milliseconds. Undefined where none is to come, and for what was before the first. */
  timeOf(ledger: number): number | undefined {
    const run = this.runs.findLast(({ from }) => from <= ledger);
    return run === undefined || run.paceMs === null ? undefined : run.fromMs + (ledger - run.from) * run.paceMs;
  }

  get first(): number {
    return this.runs[0]?.from ?? 0;
  }

  get paceMs(): number | null {
    return this.last.paceMs;
  }

  /** From a ledger on that has not closed yet. */
  add(run: LedgerRun): void {
    this.runs.push(run);
  }

  private get last(): LedgerRun {
    const run = this.runs.at(-1);
    if (run === undefined) throw new Error('a ledger clock has a run');
    return run;
  }
}
