import { acceptedTokens, chainNamed, type EvmChain, type Sighting } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { armCrashPoint, createLogger, type Logger, ManualClock, Metrics, WakeSignal } from '@vuka/runtime';

import { type AddressSources, openAddressSources } from '../addresses/address-sources.js';
import { AddressStore } from '../addresses/address.store.js';
import { DepositAddresses } from '../addresses/deposit-addresses.js';
import { OwnAddresses } from '../addresses/own-addresses.js';
import type { ServedChain } from '../chains/chain-reader.js';
import { ClaimReports } from '../claim-work/claim-reports.js';
import { ClaimWatch } from '../claim-work/claim-watch.js';
import { JudgeClaim } from '../claim-work/judge-claim.js';
import { CHECK_LIMITS, CheckDeposits, type CheckLimits } from '../claim-work/check-deposits.js';
import { OfframpMetrics } from '../claim-work/offramp-metrics.js';
import { AskChain } from '../claims/ask-chain.js';
import { CheckDeposit } from '../claims/check-deposit.js';
import { ClaimStore } from '../claims/claim.store.js';
import { DueClaims } from '../claims/due-claims.js';
import { PartnerExposure } from '../claims/exposure.js';
import { RecordCheck } from '../claims/record-check.js';
import { TakeClaim } from '../claims/take-claim.js';
import { CheckOrderDeposit } from '../orders/check-order-deposit.js';
import { RecordOrderCheck } from '../orders/record-order-check.js';
import { ListScreening, type Screening } from '../screening/screening.js';
import { SwitchStore } from '../switches/switch.store.js';
import { Switches } from '../switches/switches.js';
import {
  awaitingDeposit,
  type ClaimFacts,
  found,
  HandRates,
  ScriptedReader,
  startTestDatabase,
  type TestDatabase,
} from './offramp.spec-support.js';

/** From SEP-23: nobody knows its key. */
export const STELLAR_ACCOUNT = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
export const NOW = new Date('2026-11-20T10:00:00.000Z');

export interface Differences {
  readonly limits?: CheckLimits;
  readonly screening?: Screening;
  readonly readMs?: number;
  readonly addresses?: DepositAddresses;
  readonly limitCents?: bigint;
}

export function never(): never {
  throw new Error('there is none');
}

export const usdcOn = (chain: string): string =>
  acceptedTokens(chainNamed(chain) ?? never()).find(({ symbol }) => symbol === 'USDC')?.address ?? never();

/** Several processes on one database. */
export class CheckFixture {
  public clock = new ManualClock(NOW);
  public rates = new HandRates();
  public chains = new Map<string, ServedChain & { reader: ScriptedReader }>();
  public lines: Record<string, unknown>[] = [];
  public metrics = new Metrics('offramp');
  public log: Logger = createLogger('test', { level: 'silent' });

  private constructor(
    private readonly database: TestDatabase,
    public readonly db: Database,
    /** As superuser. */
    public readonly admin: Database,
    private readonly sources: AddressSources,
  ) {}

  public static async open(): Promise<CheckFixture> {
    const database = await startTestDatabase();
    const db = await database.connect();
    return new CheckFixture(
      database,
      db,
      await database.connectAsAdmin(),
      await openAddressSources({ depositXpub: null, stellarAccount: STELLAR_ACCOUNT }, new Set(['CELO'])),
    );
  }

  public async close(): Promise<void> {
    await this.database.stop();
  }

  public async reset(): Promise<void> {
    armCrashPoint(undefined);
    await this.db.query(
      'truncate claims, deposits, reverted_deposits, inbox, outbox, deposit_addresses, quotes, switches, order_watches, scan_cursors, incoming_transfers',
    );
    [this.clock, this.rates, this.lines, this.metrics] = [
      new ManualClock(NOW),
      new HandRates(),
      [],
      new Metrics('offramp'),
    ];
    this.chains = new Map(
      ['CELO', 'BNB'].map((name) => [name, { chain: chainNamed(name) as EvmChain, reader: new ScriptedReader() }]),
    );
    this.log = createLogger('test', {
      destination: { write: (line: string) => void this.lines.push(JSON.parse(line) as Record<string, unknown>) },
    });
  }

  public get watch(): ClaimWatch {
    return new ClaimWatch(this.db);
  }

  public get addresses(): DepositAddresses {
    return this.addressesFrom(this.sources);
  }

  public addressesFrom(sources: AddressSources): DepositAddresses {
    const { db, clock, log, chains } = this;
    return new DepositAddresses(db, sources, new Set(chains.keys()), clock, log);
  }

  public checker({
    limits = CHECK_LIMITS,
    screening = new ListScreening([]),
    readMs = 10_000,
    addresses = this.addresses,
    limitCents = 10_000_00n,
  }: Differences = {}): CheckDeposits {
    const { db, clock, log, chains, rates } = this;
    const own = new OwnAddresses(new AddressStore(db), new Set());
    const settings = { chains: { exposureLimitCents: limitCents } };
    const [outbox, exposure] = [new WakeSignal(), new PartnerExposure(db, settings)];
    const ask = new AskChain(own, screening, clock, readMs);
    const metrics = new OfframpMetrics(this.metrics, this.watch, clock);
    const judge = new JudgeClaim(
      new CheckDeposit(addresses, rates, exposure, ask, clock),
      new RecordCheck(db, outbox, clock, settings),
      new CheckOrderDeposit(addresses, exposure, ask, clock),
      new RecordOrderCheck(db, outbox, clock, settings),
      new Switches(new SwitchStore(db), clock),
      new ClaimReports(metrics, log),
    );
    return new CheckDeposits(new ClaimStore(db), chains, judge, new DueClaims(), clock, limits);
  }

  public reader(chain = 'CELO'): ScriptedReader {
    return this.chains.get(chain)?.reader ?? never();
  }

  public intake(): TakeClaim {
    return new TakeClaim(this.db, this.rates, new DueClaims(), this.clock, { chains: {} });
  }

  public take(facts: Partial<ClaimFacts> & { transactionId: number }): Promise<void> {
    return this.intake().run(awaitingDeposit({ acceptedAt: this.clock.now(), ...facts }));
  }

  /** Over a thousand shillings, for six and for eighteen decimals. */
  public enoughOn(chain: string): Sighting {
    return found({
      at: this.clock.now(),
      transfers: [{ token: usdcOn(chain), value: chain === 'BNB' ? 10n ** 19n : 10n ** 7n }],
    });
  }

  /** All at once. */
  public async round(...processes: CheckDeposits[]): Promise<void> {
    await Promise.all(processes.map((process) => process.tick()));
    await Promise.all(processes.map((process) => process.drain()));
  }

  public states(): Promise<{ id: number; state: string; reason: string | null; fence: number }[]> {
    return this.db.query(
      'select transaction_id::float8 as id, state, reason, fence from claims order by transaction_id',
    );
  }

  /** In outbox order. */
  public async kinds(): Promise<string[]> {
    const rows = await this.db.query<{ kind: string }>(
      `select (envelope::jsonb ->> 'type') || ' ' || key || '_' || sequence as kind from outbox order by xid, id`,
    );
    return rows.map(({ kind }) => kind);
  }

  public alarms(): unknown[] {
    return this.lines.flatMap(({ code }) => (code === undefined ? [] : [code]));
  }
}
