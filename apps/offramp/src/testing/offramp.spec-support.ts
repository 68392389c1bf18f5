import { loadSettings, type Settings } from '@vuka/config';
import { EVENTS, type Envelope, type TransactionAwaitingDeposit } from '@vuka/contracts';
import { ok, type ChainHeights, type SightedTransfer, type Result, type Sighting } from '@vuka/domain';
import type { JobClock, Wake } from '@vuka/jobs';
import type { Subscription, EventBus } from '@vuka/messaging';
import { borrowDatabase, type TestDatabase, type TestOptions } from '@vuka/persistence/test-postgres';
import { uuidv7 } from '@vuka/runtime';

import { type OpenedService, openService } from '@vuka/service-host';

import { overriding, testContext, type TestParts } from '@vuka/service-host/test-context';

import type { ChainReader, ScannedPage } from '../chains/chain-reader.js';
import { OPEN_READER, type OpenReader } from '../chains/served-chains.js';
import { offramp } from '../offramp.js';
import type { OfframpRoot } from '../offramp.root.js';
import type { Peg } from '../rates/rates.js';
import { OFFRAMP_MIGRATIONS } from '../store/migrations.js';
import { OPEN_OUTGOING, type OpenOutgoing } from '../transfers/outgoing-chains.js';
import { SIGNER_OF, type SignerOf } from '../transfers/sign-transfer.js';

export type { TestDatabase };

const TELLERS = ['payments', 'checkout', 'gateway'].map((name) => ({ name }));

/** Includes empty schemas of the services it listens to. */
export const startTestDatabase = (options: TestOptions = {}): Promise<TestDatabase> =>
  borrowDatabase([{ name: 'offramp', migrations: OFFRAMP_MIGRATIONS }, ...TELLERS], { lookupsOnly: true, ...options });

export class HandEventBus implements Pick<EventBus, 'subscribe'> {
  private subscription: Subscription | undefined;

  public subscribe(subscription: Subscription): () => Promise<void> {
    this.subscription = subscription;
    return async () => undefined;
  }

  public async deliver(event: Envelope): Promise<void> {
    if (this.subscription === undefined) throw new Error('nobody subscribed');
    await this.subscription.handle(event);
  }
}

export class HandJobs implements Pick<JobClock, 'every' | 'wakeAt'> {
  private readonly wakes = new Map<string, Wake>();

  public every(queue: string, wake: Wake): void {
    this.wakes.set(queue, wake);
  }

  public async wakeAt(): Promise<void> {
    throw new Error('offramp asks for no time of its own');
  }

  public async wake(queue: string): Promise<void> {
    await this.wakes.get(queue)?.('tick');
  }
}

/** Makes every block final. */
const FAR: ChainHeights = { latest: 1_000_000, safe: 1_000_000, finalized: 1_000_000 };

type Script = Sighting | (() => Promise<Sighting>);

/** Finds nothing for transactions without a script. */
export class ScriptedReader implements ChainReader {
  public readonly reads: { readonly transactionId: string; readonly address: string }[] = [];
  public isClosed = false;
  /** undefined: too few endpoints answer. */
  public tellsHeights: ChainHeights | undefined = FAR;
  private readonly scripts = new Map<string, Script>();

  public says(transactionId: string, script: Script): void {
    this.scripts.set(transactionId, script);
  }

  public async read(transactionId: string, address: string): Promise<Sighting> {
    this.reads.push({ transactionId, address });
    const script = this.scripts.get(transactionId) ?? { kind: 'not_found' as const };
    return typeof script === 'function' ? script() : script;
  }

  public readByAll(transactionId: string, address: string): Promise<Sighting> {
    return this.read(transactionId, address);
  }

  /** A block in which nothing was found. */
  public tellsBlock: Awaited<ReturnType<ChainReader['blockAt']>> = { kind: 'block', hash: `0x${'d'.repeat(64)}` };

  public async blockAt(): ReturnType<ChainReader['blockAt']> {
    return this.tellsBlock;
  }

  public async heights(): Promise<ChainHeights | undefined> {
    return this.tellsHeights;
  }

  public readonly scans: { readonly cursor: string | null; readonly addresses: readonly string[] }[] = [];
  /** By cursor, '' for none. Missing: nothing new. */
  public readonly pages = new Map<string, ScannedPage | (() => Promise<ScannedPage>)>();

  public async scan(cursor: string | null, addresses: () => Promise<readonly string[]>): Promise<ScannedPage> {
    this.scans.push({ cursor, addresses: await addresses() });
    const script = this.pages.get(cursor ?? '') ?? {
      kind: 'page' as const,
      incomingTransfers: [],
      next: cursor ?? 'start',
      isAtHead: true,
      scannedTo: null,
    };
    return typeof script === 'function' ? script() : script;
  }

  public async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** Fiat per whole token; null: stale. */
export class HandRates {
  public rate: string | null = '129.35';
  public offPeg: readonly string[] = [];
  public unknownPeg: readonly string[] = [];

  public buyingRate(_currency: string, symbol: string | null): Result<string> {
    return this.rate === null || (symbol !== null && this.pegOf(symbol) !== 'holds')
      ? { ok: false, error: { code: 'rate_stale', message: 'no fresh rate' } }
      : ok(this.rate);
  }

  public pegOf(symbol: string): Peg {
    if (this.unknownPeg.includes(symbol)) return 'unknown';
    return this.offPeg.includes(symbol) ? 'off' : 'holds';
  }
}

export const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
export const SENDER = '0x00000000000000000000000000000000000000AA';

export interface FoundFacts {
  readonly at: Date;
  readonly transfers: readonly Partial<SightedTransfer>[];
  /** Nothing in block 100 is final. */
  readonly isYoung?: boolean;
  readonly heights?: ChainHeights;
  readonly block?: number;
}

/** In block 100, final unless `isYoung`. */
export function found({
  at,
  transfers,
  isYoung = false,
  heights = isYoung ? { latest: 100, safe: 90, finalized: 80 } : FAR,
  block = 100,
}: FoundFacts): Sighting {
  return {
    kind: 'found',
    block: { number: block, hash: `0x${(block === 100 ? 'b' : 'c').repeat(64)}`, timeMs: at.getTime() },
    heights,
    transfers: transfers.map((transfer, ordinal) => ({ token: '', from: SENDER, value: 1n, ordinal, ...transfer })),
  };
}

export function reverted(at: Date): Sighting {
  return { kind: 'failed', block: { number: 100, hash: `0x${'b'.repeat(64)}`, timeMs: at.getTime() }, heights: FAR };
}

export type ClaimFacts = Partial<Omit<TransactionAwaitingDeposit, 'accepted_at' | 'transaction_id'>> & {
  readonly transactionId: number;
  readonly acceptedAt: Date;
};

/** 1,000.00 Kenyan shillings by partner 1 on CELO. */
export function awaitingDeposit({
  transactionId,
  acceptedAt,
  ...facts
}: ClaimFacts): Envelope<'transaction.awaiting-deposit'> {
  return {
    id: uuidv7(),
    type: 'transaction.awaiting-deposit',
    version: EVENTS['transaction.awaiting-deposit'].version,
    key: String(transactionId),
    sequence: 1,
    occurredAt: acceptedAt.toISOString(),
    correlationId: 'request-1',
    causationId: '00-trace-1',
    producer: 'payments',
    data: {
      transaction_id: transactionId,
      partner_id: 1,
      chain: 'CELO',
      transaction_hash: hashOf(transactionId),
      asset: null,
      currency: 'KES',
      amount_minor: '100000',
      quote_id: null,
      accepted_at: acceptedAt.toISOString(),
      ...facts,
    },
  };
}

interface Chains {
  readonly openReader?: OpenReader;
  readonly openOutgoing?: OpenOutgoing;
  readonly signerOf?: SignerOf;
}

export function openOfframp({
  openReader,
  openOutgoing,
  signerOf,
  ...parts
}: TestParts & Chains): Promise<OpenedService<OfframpRoot>> {
  const overrides = [
    [OPEN_READER, openReader],
    [OPEN_OUTGOING, openOutgoing],
    [SIGNER_OF, signerOf],
  ] as const;
  return openService(
    offramp,
    testContext(parts),
    overriding(...overrides.filter(([, instead]) => instead !== undefined)),
  );
}

export function settingsOf(
  endpoints: Settings['chains']['endpoints'],
  more: Partial<Settings['chains']> = {},
): Settings {
  const settings = loadSettings({});
  return { ...settings, chains: { ...settings.chains, endpoints, ...more } };
}
