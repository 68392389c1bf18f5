import type { Sighting } from '@vuka/domain';
import { answerWithin, BootError, Metrics, runLoop, WakeSignal, type Clock, type CounterMetric, type GaugeMetric, type Logger, type MonotonicClock, type RunningLoop } from '@vuka/platform';

import type { ChainHealth, DepositReader } from '../deposit-reader.js';

import { agreedHeights, contradictions, verdictOf, type Testimony } from './agreement.js';
import { EvmEndpoint, type EvmChainFacts } from './evm-endpoint.js';
import { RpcClient } from './rpc-client.js';

export interface EvmReaderOptions {
  readonly chain: EvmChainFacts;
  /** http or https URLs, secrets all of them; each from a provider of its own, or their agreement is worth nothing. */
  readonly endpoints: readonly string[];
  /** How many of them must say the same. */
  readonly agree: number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly clock: Clock & MonotonicClock;
}

/** What one read takes at most, whatever the caller would wait: two rounds of calls, the second attempts of both. */
const READ_MS = 14_000;
const WATCH_MS = 10_000;
const HEIGHTS_EVERY_MS = 60_000;
const MOST_ENDPOINTS = 8;
const HASH = /^0x[0-9a-f]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * A reader of one chain, after each endpoint was asked which chain it serves. One that serves another is a mistake in the settings:
 * BootError, which names the chain and the number of the endpoint. One that is silent is heard as soon as it has told: an outage of
 * a provider keeps no service from starting, and until enough endpoints speak every read is `trouble`.
 */
export async function createEvmReader(options: EvmReaderOptions): Promise<EvmReader> {
  const { chain, clock, log, metrics = new Metrics('chains'), agree } = options;
  const urls = endpointUrls(options);
  const endpoints = urls.map((url, index) => {
    const number = index + 1;
    return new EvmEndpoint({ chain, number, clock, log, client: new RpcClient({ chain: chain.name, number, url, clock, metrics }) });
  });
  const told = await Promise.all(endpoints.map((endpoint) => endpoint.checkChain()));
  const wrong = endpoints.findIndex(({ state }) => state === 'wrong_chain');
  if (wrong >= 0) {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    refuse(chain, `endpoint ${String(wrong + 1)} serves the chain with id ${String(told[wrong])}, not ${String(chain.chainId)}`);
  }
  return new EvmReader(chain, endpoints, agree, { log, metrics, clock });
}

function endpointUrls({ chain, endpoints, agree }: EvmReaderOptions): readonly URL[] {
  if (endpoints.length > MOST_ENDPOINTS) refuse(chain, `more than ${String(MOST_ENDPOINTS)} endpoints`);
  if (!Number.isInteger(agree) || agree < 1 || agree > endpoints.length) refuse(chain, `${String(agree)} of ${String(endpoints.length)} endpoints cannot agree`);
  const urls = endpoints.map((text, index) => (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? new URL(text) : refuse(chain, `endpoint ${String(index + 1)} is no http or https URL`)));
  for (const [index, { href }] of urls.entries()) {
    const first = urls.findIndex((url) => url.href === href);
    if (first !== index) refuse(chain, `endpoint ${String(index + 1)} is endpoint ${String(first + 1)} again, and would agree with itself`);
  }
  return urls;
}

function refuse({ name }: EvmChainFacts, what: string): never {
  throw new BootError(`${name}: ${what}`, `Put right CHAIN_RPC_${name} (and CHAIN_RPC_AGREE): endpoints are numbered from 1 in the order in which they stand there.`);
}

/** Reads deposits on one EVM chain: what `agree` of its endpoints say in the same words (chains.md sections 3.2 and 5). */
export class EvmReader implements DepositReader {
  private readonly tokens: ReadonlySet<string>;
  private readonly watching: RunningLoop;
  private readonly reads: CounterMetric<'chain' | 'outcome'>;
  private readonly contradicted: CounterMetric<'chain' | 'endpoint'>;
  private readonly lag: GaugeMetric<'chain'>;
  private finalityLagBlocks: number | null = null;
  private heightsAtMs: number | undefined;
  /** Said once for each time that it began. */
  private readonly alarms = new Set<string>();

  constructor(
    private readonly facts: EvmChainFacts,
    private readonly endpoints: readonly EvmEndpoint[],
    private readonly agree: number,
    private readonly tools: { readonly log: Logger; readonly metrics: Metrics; readonly clock: Clock & MonotonicClock },
  ) {
    const { metrics, log } = tools;
    this.tokens = new Set(facts.tokens.map(({ address }) => address.toLowerCase()));
    this.reads = metrics.counter('vuka_chain_reads_total', 'Transactions that were looked up, by what came of it', ['chain', 'outcome']);
    this.contradicted = metrics.counter('vuka_chain_contradictions_total', 'Testimonies of an endpoint against a block of which the others agree', ['chain', 'endpoint']);
    this.lag = metrics.gauge('vuka_chain_finality_lag_blocks', 'From the tag finalized to the newest block', ['chain']);
    this.watching = runLoop({ name: `chain ${facts.name}`, tick: () => this.watch().then(() => false), signal: new WakeSignal(), idleMs: WATCH_MS, log });
  }

  get chain(): string {
    return this.facts.name;
  }

  async read(transactionId: string, address: string, until: number): Promise<Sighting> {
    if (!HASH.test(transactionId) || !ADDRESS.test(address)) throw new TypeError('a transaction is looked up by its canonical id and an address of ours');
    const forMs = Math.min(READ_MS, until - this.tools.clock.now().getTime());
    const sighting = forMs > 0 ? await this.ask(transactionId, address.toLowerCase(), forMs) : late();
    this.reads.add({ chain: this.chain, outcome: sighting.kind });
    return sighting;
  }

  health(): ChainHealth {
    const usable = this.endpoints.filter(({ state }) => state === 'ok').length;
    const state = usable >= this.agree || `${String(usable)} of ${String(this.endpoints.length)} endpoints can be heard, ${String(this.agree)} must agree`;
    return { chain: this.chain, state, endpoints: this.endpoints.map(({ number, state: stands }) => ({ number, state: stands })), finalityLagBlocks: this.finalityLagBlocks };
  }

  /** Looks after the endpoints: which chain they serve, whether enough stand, how far finality is behind. Runs by itself every 10 s. */
  async watch(): Promise<void> {
    await Promise.all(this.endpoints.filter(({ isCheckDue }) => isCheckDue).map((endpoint) => endpoint.checkChain()));
    const now = this.tools.clock.monotonicMs();
    if (this.heightsAtMs === undefined || now - this.heightsAtMs >= HEIGHTS_EVERY_MS) {
      this.heightsAtMs = now;
      await this.lookAtFinality();
    }
    const { state } = this.health();
    this.alarm('chain_unreachable', state !== true, { reason: state }, 'too few endpoints of a chain can be heard: its deposits wait');
  }

  async close(): Promise<void> {
    const stopped = this.watching.stop();
    await Promise.all(this.endpoints.map((endpoint) => endpoint.close()));
    await stopped;
  }

  /** The first verdict that nothing can change any more, or what is known when the time is over. */
  private async ask(transactionHash: string, address: string, forMs: number): Promise<Sighting> {
    const told = new Array<Testimony | undefined>(this.endpoints.length).fill(undefined);
    const question = { transactionHash, address, tokens: this.tokens };
    const verdict = new Promise<Sighting>((resolve, reject) => {
      const looks = this.endpoints.map(async (endpoint, index) => {
        told[index] = await endpoint.look(question);
        const sighting = verdictOf(told, this.agree);
        if (sighting !== undefined) resolve(sighting);
      });
      Promise.all(looks).then(() => this.noteContradictions(told, transactionHash), reject);
    });
    return answerWithin(forMs, verdict, undefined).then((sighting) => sighting ?? late());
  }

  private noteContradictions(told: readonly (Testimony | undefined)[], transactionHash: string): void {
    for (const index of contradictions(told.filter((one) => one !== undefined), this.agree)) {
      const endpoint = this.endpoints[index];
      if (endpoint === undefined) continue;
      this.contradicted.add({ chain: this.chain, endpoint: String(endpoint.number) });
      endpoint.contradicted(transactionHash);
    }
  }

  private async lookAtFinality(): Promise<void> {
    const told = await Promise.all(this.endpoints.map((endpoint) => endpoint.heights()));
    const heights = agreedHeights(told.filter((one) => one !== undefined), this.agree);
    if (heights === undefined) return;
    // A chain that tells no finality is as far behind as can be.
    this.finalityLagBlocks = heights.latest - (heights.finalized ?? 0);
    this.lag.set({ chain: this.chain }, this.finalityLagBlocks);
    const most = Math.ceil(this.facts.finality.maxTagLagMs / this.facts.blockMs);
    this.alarm('chain_finality_lags', this.finalityLagBlocks > most, { lag_blocks: this.finalityLagBlocks, most_blocks: most }, 'the chain makes blocks and does not finalise them: its deposits wait');
  }

  private alarm(code: 'chain_unreachable' | 'chain_finality_lags', isOn: boolean, fields: Readonly<Record<string, unknown>>, message: string): void {
    const { log } = this.tools;
    if (isOn && !this.alarms.has(code)) {
      this.alarms.add(code);
      log.error({ code, chain: this.chain, ...fields }, message);
    } else if (!isOn && this.alarms.delete(code)) {
      log.info({ chain: this.chain, alarm: code }, 'the chain is as it should be again');
    }
  }
}

function late(): Sighting {
  return { kind: 'trouble', reason: 'no answer in time' };
}
