import type { Envelope, EventType } from '@vuka/contracts';
import { acceptedTokens, chainNamed, type SightedTransfer } from '@vuka/domain';
import { parseEnvelope } from '@vuka/messaging';
import type { Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';
import type { OpenedService } from '@vuka/service-host';
import { until } from '@vuka/testing';

import type { OfframpRoot } from '../offramp.root.js';
import {
  awaitingDeposit,
  type ClaimFacts,
  found,
  HandJobs,
  HandEventBus,
  hashOf,
  openOfframp,
  ScriptedReader,
  settingsOf,
  startTestDatabase,
  type TestDatabase,
} from '../testing/offramp.spec-support.js';

export const NOW = new Date('2026-11-20T10:00:00.000Z');
export const WITHIN = { withinMs: 10_000, what: 'it comes to that' };

function never(): never {
  throw new Error('no such chain here');
}

const tokenOf = (chain: string, symbol: string): string =>
  acceptedTokens(chainNamed(chain) ?? never()).find((token) => token.symbol === symbol)?.address ?? never();
export const USDC = tokenOf('CELO', 'USDC');
export const USDT = tokenOf('CELO', 'USDT');
/** 10.00 tokens of six decimals: over a thousand shillings. */
export const TEN = 10_000_000n;

interface Wish {
  readonly ownAddressesFile?: string;
  readonly unapplied?: 'keep' | 'wallet';
  readonly served?: readonly string[];
}

interface ClaimRow {
  readonly state: string;
  readonly reason: string | null;
  readonly rate: string | null;
  readonly fence: number;
  readonly trouble: string | null;
}

/** Event bus, chains and clock are the test's; PostgreSQL is real. */
export class ClaimFixture {
  public db!: Database;
  public clock = new ManualClock(NOW);
  public eventBus = new HandEventBus();
  public jobs = new HandJobs();
  public chains: Record<string, ScriptedReader> = {};
  public offramp!: OpenedService<OfframpRoot>;
  private database!: TestDatabase;

  public async open(): Promise<void> {
    this.database = await startTestDatabase();
    this.db = await this.database.connect();
  }

  public close(): Promise<void> {
    return this.database.stop();
  }

  public begin(): void {
    [this.clock, this.eventBus, this.jobs] = [new ManualClock(NOW), new HandEventBus(), new HandJobs()];
    this.chains = { CELO: new ScriptedReader(), BNB: new ScriptedReader() };
  }

  public async end(): Promise<void> {
    await this.offramp.stop();
    await this.db.query('truncate claims, deposits, inbox, outbox, deposit_addresses, quotes, dead_letters');
  }

  public readonly start = async ({
    unapplied = 'keep',
    served = ['CELO', 'BNB'],
    ...more
  }: Wish = {}): Promise<void> => {
    this.offramp = await openOfframp({
      settings: settingsOf(Object.fromEntries(served.map((chain) => [chain, ['http://127.0.0.1:1']])), {
        unapplied,
        ...more,
      }),
      database: this.database.config,
      eventBus: this.eventBus,
      jobs: this.jobs,
      clock: this.clock,
      openReader: async ({ chain }) => this.chains[chain.name] ?? never(),
    });
    await this.offramp.start();
  };

  /** As for a partner, the address exists before the transfer. */
  public readonly addressed = async (partnerId = 1): Promise<string> => {
    const answer = await this.offramp.handlers.listNetworks({ partner_id: partnerId }, {
      requestId: 'r',
      deadlineAt: 0,
    } as never);
    if (!answer.ok) return never();
    return (
      answer.value.networks.find(({ settlement_wallet_address }) => settlement_wallet_address !== '')
        ?.settlement_wallet_address ?? never()
    );
  };

  public readonly claim = async (facts: Partial<ClaimFacts> & { transactionId: number }): Promise<Envelope> => {
    const event = awaitingDeposit({ acceptedAt: this.clock.now(), ...facts });
    await this.eventBus.deliver(event);
    return event;
  };

  public readonly claimRow = async (id: number): Promise<ClaimRow | undefined> =>
    (
      await this.db.query<ClaimRow>(
        'select state, reason, rate, fence, trouble from claims where transaction_id = $1',
        [id],
      )
    )[0];

  public readonly ended = (id: number): Promise<ClaimRow> =>
    until(async () => {
      const row = await this.claimRow(id);
      return row && !['open', 'seen'].includes(row.state) ? row : null;
    }, WITHIN);

  /** Waits for so many checks without a result. */
  public readonly checked = (id: number, times: number): Promise<unknown> =>
    until(
      async () =>
        (
          await this.db.query(
            "select 1 from claims where transaction_id = $1 and fence >= $2 and next_check_at - $3 <= interval '20 seconds'",
            [id, times, this.clock.now()],
          )
        )[0],
      WITHIN,
    );

  public readonly deposits = (): Promise<
    { asset: string; state: string; received: string; claim: string; hit: boolean }[]
  > =>
    this.db.query(
      'select asset, state, received_minor::text as received, claim_id::text as claim, screening_hit as hit from deposits order by claim_id, asset',
    );

  /** In outbox order. */
  public readonly told = async (): Promise<Envelope[]> => {
    const rows = await this.db.query<{ envelope: string; topic: string }>(
      'select envelope, topic from outbox order by xid, id',
    );
    return rows.map(({ envelope, topic }) => parseEnvelope(envelope, topic));
  };

  public readonly kinds = async (): Promise<string[]> =>
    (await this.told()).map(({ type, key, sequence }) => `${type} ${key}_${sequence}`);

  public readonly dataOf = async <T extends EventType>(type: T): Promise<Envelope<T>['data']> => {
    const event = (await this.told()).find((one): one is Envelope<T> => one.type === type);
    return event?.data ?? never();
  };

  public readonly checkAgain = async (): Promise<void> => {
    this.clock.advance(30_000);
    await this.jobs.wake('offramp.check-deposits');
  };

  public readonly arrives = (
    id: number,
    transfers: readonly Partial<SightedTransfer>[],
    options: { isYoung?: boolean; at?: Date } = {},
  ): void => this.chains['CELO']?.says(hashOf(id), found({ at: this.clock.now(), transfers, ...options }));
}
