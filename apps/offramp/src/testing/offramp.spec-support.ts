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

/** Of those it listens to. */
const TELLERS = ['payments', 'checkout', 'gateway'].map((name) => ({ name }));

/** A database of this suite's own with offramp's tables in it, beside the empty schemas of those it listens to. */
export const startTestDatabase = (options: TestOptions = {}): Promise<TestDatabase> =>
  borrowDatabase([{ name: 'offramp', migrations: OFFRAMP_MIGRATIONS }, ...TELLERS], { lookupsOnly: true, ...options });

/** Hands events over when a test says so, as an event bus would: the promise is the handler's. */
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

/** Wakes when a test says so. */
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

/** So high that every block of these tests stays for good. */
const FAR: ChainHeights = { latest: 1_000_000, safe: 1_000_000, finalized: 1_000_000 };

type Script = Sighting | (() => Promise<Sighting>);

/** A chain that says what a test has it say, by transaction; of what it was not told, it has found nothing. */
export class ScriptedReader implements ChainReader {
  /** Every read, in order. */
  public readonly reads: { readonly transactionId: string; readonly address: string }[] = [];
  public isClosed = false;
  /** What it tells of itself; undefined: too few endpoints do. */
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

  /** What is at any height: no block that anything was found in. */
  public tellsBlock: Awaited<ReturnType<ChainReader['blockAt']>> = { kind: 'block', hash: `0x${'d'.repeat(64)}` };

  public async blockAt(): ReturnType<ChainReader['blockAt']> {
    return this.tellsBlock;
  }

  public async heights(): Promise<ChainHeights | undefined> {
    return this.tellsHeights;
  }

  /** What was asked of a scan, in order. */
  public readonly scans: { readonly cursor: string | null; readonly addresses: readonly string[] }[] = [];
  /** What a scan from each cursor tells; '' from none. Where nothing is told, there is nothing new. */
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

/** Rates that a test sets: fiat per whole token, whatever the currency; null: stale. */
export class HandRates {
  public rate: string | null = '129.35';
  /** Tokens that are not worth a dollar. */
  public offPeg: readonly string[] = [];
  /** Tokens whose worth nobody has told lately. */
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
/** Of nobody here. */
export const SENDER = '0x00000000000000000000000000000000000000AA';

export interface FoundFacts {
  readonly at: Date;
  readonly transfers: readonly Partial<SightedTransfer>[];
  /** Heights at which nothing in block 100 is final. */
  readonly isYoung?: boolean;
  /** In the place of those. */
  readonly heights?: ChainHeights;
  readonly block?: number;
}

/** In block 100, final unless it is told to be young. */
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

/** A pay of 1,000.00 in Kenya's currency by partner 1, on CELO, of the hash with its own number. */
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

/** What stands in for chains, in the place of offramp's own. */
interface Chains {
  readonly openReader?: OpenReader;
  readonly openOutgoing?: OpenOutgoing;
  readonly signerOf?: SignerOf;
}

/** All of offramp, as its process opens it. */
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

/** Of a sandbox that reads these chains, and no others. */
export function settingsOf(
  endpoints: Settings['chains']['endpoints'],
  more: Partial<Settings['chains']> = {},
): Settings {
  const settings = loadSettings({});
  return { ...settings, chains: { ...settings.chains, endpoints, ...more } };
}
