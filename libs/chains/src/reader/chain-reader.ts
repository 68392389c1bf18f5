import type { ChainHeights, Sighting } from '@vuka/domain';
import {
  answerWithin,
  type Clock,
  type CounterMetric,
  type GaugeMetric,
  type Logger,
  type Metrics,
  type MonotonicClock,
  runLoop,
  type RunningLoop,
  WakeSignal,
} from '@vuka/runtime';

import type { BlockAt, ChainHealth, DepositReader, Scan, ScanCursor, WatchedAddresses } from '../deposit-reader.js';
import {
  agreedHeights,
  blockVerdictOf,
  contradictions,
  pageVerdictOf,
  verdictOf,
  wholeVerdictOf,
} from './agreement.js';
import type { Endpoint, PageQuestion, Question, Testimony } from './endpoint.js';

export interface ReaderFacts {
  readonly name: string;
  /** Usual time between two blocks. */
  readonly blockMs: number;
  /** Larger lag of `finalized` raises an alarm. */
  readonly finality: { readonly maxTagLagMs: number };
}

/** Two rounds of calls with one retry each. */
const READ_MS = 14_000;
/** A page has many calls. */
const SCAN_MS = 60_000;
const WATCH_MS = 10_000;
const HEIGHTS_EVERY_MS = 60_000;
const SMALLEST_SHARE = 1_024;
const MOST_CHECKED = 200_000;
/** After so many good pages the size doubles. */
const PAGES_BEFORE_LARGER = 20;
const late = { kind: 'trouble', reason: 'no answer in time' } as const;

/** What `agree` endpoints say identically (chains.md sections 3.2 and 5). */
export class ChainReader implements DepositReader {
  private readonly watching: RunningLoop;
  private readonly reads: CounterMetric<'chain' | 'outcome'>;
  private readonly scans: CounterMetric<'chain' | 'outcome'>;
  private readonly contradicted: CounterMetric<'chain' | 'endpoint'>;
  private readonly lag: GaugeMetric<'chain'>;
  private finalityLagBlocks: number | null = null;
  private heightsAtMs: number | undefined;
  /** Current page divisor, and successes with it. */
  private share = 1;
  private pagesAtShare = 0;
  private readonly checked = new Set<string>();
  /** Raised once per occurrence. */
  private readonly alarms = new Set<string>();

  constructor(
    private readonly facts: ReaderFacts,
    private readonly endpoints: readonly Endpoint[],
    private readonly agree: number,
    private readonly names: { isTransactionId(text: string): boolean; isAddress(text: string): boolean },
    private readonly tools: { readonly log: Logger; readonly metrics: Metrics; readonly clock: Clock & MonotonicClock },
  ) {
    const { metrics, log } = tools;
    this.reads = metrics.counter('vuka_chain_reads_total', 'Transactions that were looked up, by outcome', [
      'chain',
      'outcome',
    ]);
    this.scans = metrics.counter(
      'vuka_chain_scans_total',
      'Pages that were scanned for incoming transfers, by outcome',
      ['chain', 'outcome'],
    );
    this.contradicted = metrics.counter(
      'vuka_chain_contradictions_total',
      'Answers of an endpoint that contradict the others about a block',
      ['chain', 'endpoint'],
    );
    this.lag = metrics.gauge('vuka_chain_finality_lag_blocks', 'Blocks from the tag finalized to the newest block', [
      'chain',
    ]);
    this.watching = runLoop({
      name: `chain ${facts.name}`,
      tick: () => this.watch().then(() => false),
      signal: new WakeSignal(),
      idleMs: WATCH_MS,
      log,
    });
  }

  get chain(): string {
    return this.facts.name;
  }

  read(transactionId: string, address: string, until: number): Promise<Sighting> {
    return this.lookUp({ transactionId, address }, until, (question, forMs) =>
      answerWithin(forMs, this.ask(question), late),
    );
  }

  readByAll(transactionId: string, address: string, until: number): Promise<Sighting> {
    const silent: Testimony = { kind: 'nothing', why: 'late' };
    return this.lookUp({ transactionId, address }, until, async (question, forMs) => {
      const told = await Promise.all(
        this.endpoints.map((endpoint) => answerWithin(forMs, endpoint.look(question), silent)),
      );
      return wholeVerdictOf(told, this.agree);
    });
  }

  async blockAt(height: number, until: number): Promise<BlockAt> {
    if (!Number.isSafeInteger(height) || height < 0) throw new TypeError('a block is looked up by its height');
    const forMs = this.timeTo(until, READ_MS);
    const asking = (): Promise<BlockAt> =>
      this.firstVerdict(
        (endpoint) => endpoint.blockAt(height),
        (told) => blockVerdictOf(told, this.agree),
      );
    return forMs > 0 ? answerWithin(forMs, asking(), late) : late;
  }

  async heights(until: number): Promise<ChainHeights | undefined> {
    const forMs = this.timeTo(until, READ_MS);
    if (forMs <= 0) return undefined;
    const told: ChainHeights[] = [];
    const asking = this.endpoints.map(async (endpoint) => {
      const heights = await endpoint.heights();
      if (heights !== undefined) told.push(heights);
    });
    await answerWithin(forMs, Promise.all(asking), undefined);
    return agreedHeights(told, this.agree);
  }

  async scan(cursor: ScanCursor | null, addresses: WatchedAddresses, until: number): Promise<Scan> {
    const forMs = this.timeTo(until, SCAN_MS);
    const untilMs = this.tools.clock.now().getTime() + forMs;
    const scan =
      forMs > 0 ? await answerWithin(forMs, this.page(cursor, this.listsOf(addresses), untilMs), late) : late;
    this.scans.add({ chain: this.chain, outcome: scan.kind });
    return scan;
  }

  health(): ChainHealth {
    const usable = this.endpoints.filter(({ state }) => state === 'ok').length;
    const state =
      usable >= this.agree ||
      `${String(usable)} of ${String(this.endpoints.length)} endpoints answer, and ${String(this.agree)} must agree`;
    return {
      chain: this.chain,
      state,
      endpoints: this.endpoints.map(({ number, state: stands }) => ({ number, state: stands })),
      finalityLagBlocks: this.finalityLagBlocks,
    };
  }

  /** Every 10 s: chain identity, enough endpoints, finality lag. */
  async watch(): Promise<void> {
    await Promise.all(this.endpoints.filter(({ isCheckDue }) => isCheckDue).map((endpoint) => endpoint.checkChain()));
    const now = this.tools.clock.monotonicMs();
    if (this.heightsAtMs === undefined || now - this.heightsAtMs >= HEIGHTS_EVERY_MS) {
      this.heightsAtMs = now;
      await this.checkFinality();
    }
    const { state } = this.health();
    this.alarm(
      'chain_unreachable',
      state !== true,
      { reason: state },
      'too few endpoints of a chain answer: its deposits wait',
    );
  }

  async close(): Promise<void> {
    const stopped = this.watching.stop();
    await Promise.all(this.endpoints.map((endpoint) => endpoint.close()));
    await stopped;
  }

  private timeTo(until: number, mostMs: number): number {
    return Math.min(mostMs, until - this.tools.clock.now().getTime());
  }

  private async lookUp(
    question: Question,
    until: number,
    ask: (question: Question, forMs: number) => Promise<Sighting>,
  ): Promise<Sighting> {
    if (!this.names.isTransactionId(question.transactionId) || !this.names.isAddress(question.address))
      throw new TypeError('a transaction is looked up by its canonical id and an address of ours');
    const forMs = this.timeTo(until, READ_MS);
    const sighting = forMs > 0 ? await ask(question, forMs) : late;
    this.reads.add({ chain: this.chain, outcome: sighting.kind });
    return sighting;
  }

  private ask(question: Question): Promise<Sighting> {
    return this.firstVerdict(
      (endpoint) => endpoint.look(question),
      (told) => verdictOf(told, this.agree),
      (told) => {
        for (const index of contradictions(told, this.agree))
          this.noteContradiction(this.endpoints[index], question.transactionId);
      },
    );
  }

  /** One list per page end. */
  private listsOf(addresses: WatchedAddresses): PageQuestion['addresses'] {
    const lists = new Map<string, Promise<readonly string[]>>();
    return (seen) => {
      const list = lists.get(seen) ?? addresses().then((told) => this.ours(told));
      lists.set(seen, list);
      return list;
    };
  }

  private ours(addresses: readonly string[]): readonly string[] {
    for (const address of addresses) {
      if (this.checked.has(address)) continue;
      if (!this.names.isAddress(address)) throw new TypeError('incoming transfers are looked for at addresses of ours');
      if (this.checked.size >= MOST_CHECKED) this.checked.clear();
      this.checked.add(address);
    }
    return addresses;
  }

  private async page(cursor: ScanCursor | null, addresses: PageQuestion['addresses'], untilMs: number): Promise<Scan> {
    const heights = await this.heights(untilMs);
    if (heights === undefined) return { kind: 'trouble', reason: 'too few endpoints report the height of the chain' };
    for (; this.share <= SMALLEST_SHARE; this.share *= 2) {
      if (this.timeTo(untilMs, SCAN_MS) <= 0) return late;
      const verdict = await this.askPage({ cursor, addresses, heights, share: this.share });
      if (verdict.kind === 'too_large') {
        this.pagesAtShare = 0;
        continue;
      }
      if (verdict.kind === 'page' && this.share > 1 && ++this.pagesAtShare >= PAGES_BEFORE_LARGER) {
        this.share /= 2;
        this.pagesAtShare = 0;
      }
      return verdict;
    }
    this.share = 1;
    return { kind: 'trouble', reason: 'the smallest page is too large' };
  }

  private askPage(question: PageQuestion): Promise<Scan | { readonly kind: 'too_large' }> {
    return this.firstVerdict(
      (endpoint) => endpoint.scanPage(question),
      (told) => pageVerdictOf(told, this.agree),
    );
  }

  /** First final verdict; `whole` later gets all answers. */
  private firstVerdict<Told, Verdict>(
    ask: (endpoint: Endpoint) => Promise<Told>,
    judge: (told: readonly (Told | undefined)[]) => Verdict | undefined,
    whole?: (told: readonly Told[]) => void,
  ): Promise<Verdict> {
    const told = new Array<Told | undefined>(this.endpoints.length).fill(undefined);
    return new Promise<Verdict>((resolve, reject) => {
      const asking = this.endpoints.map(async (endpoint, index) => {
        told[index] = await ask(endpoint);
        const verdict = judge(told);
        if (verdict !== undefined) resolve(verdict);
      });
      Promise.all(asking).then(() => whole?.(told as readonly Told[]), reject);
    });
  }

  private noteContradiction(endpoint: Endpoint | undefined, transactionId: string): void {
    if (endpoint === undefined) return;
    this.contradicted.add({ chain: this.chain, endpoint: String(endpoint.number) });
    endpoint.contradicted(transactionId);
  }

  private async checkFinality(): Promise<void> {
    const heights = await this.heights(Number.POSITIVE_INFINITY);
    if (heights === undefined) return;
    // Without finality the lag is the whole chain.
    this.finalityLagBlocks = heights.latest - (heights.finalized ?? 0);
    this.lag.set({ chain: this.chain }, this.finalityLagBlocks);
    const most = Math.ceil(this.facts.finality.maxTagLagMs / this.facts.blockMs);
    this.alarm(
      'chain_finality_lags',
      this.finalityLagBlocks > most,
      { lag_blocks: this.finalityLagBlocks, most_blocks: most },
      'the chain makes blocks, but does not finalise them: its deposits wait',
    );
  }

  private alarm(
    code: 'chain_unreachable' | 'chain_finality_lags',
    isOn: boolean,
    fields: Readonly<Record<string, unknown>>,
    message: string,
  ): void {
    const { log } = this.tools;
    if (isOn && !this.alarms.has(code)) {
      this.alarms.add(code);
      log.error({ code, chain: this.chain, ...fields }, message);
    } else if (!isOn && this.alarms.delete(code)) {
      log.info({ chain: this.chain, alarm: code }, 'the alarm of this chain is over');
    }
  }
}
