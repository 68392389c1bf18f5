/**
 * Ledger `from` closes at `fromMs`, the next ones every `paceMs`; null: none closes. Valid until the next
 * run.
 */
export interface LedgerRun {
  readonly from: number;
  /** Epoch ms. */
  readonly fromMs: number;
  readonly paceMs: number | null;
}

/** Pure function of runs and time: ledgers also close while the node is down. */
export class LedgerClock {
  private readonly runs: LedgerRun[] = [];

  latestAt(nowMs: number): number {
    const { from, fromMs, paceMs } = this.last;
    return paceMs === null || nowMs < fromMs ? from - 1 : from + Math.floor((nowMs - fromMs) / paceMs);
  }

  /** Epoch ms; undefined if never, or before the first ledger. */
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

  /** Must start at a ledger not yet closed. */
  add(run: LedgerRun): void {
    this.runs.push(run);
  }

  private get last(): LedgerRun {
    const run = this.runs.at(-1);
    if (run === undefined) throw new Error('a ledger clock has a run');
    return run;
  }
}
