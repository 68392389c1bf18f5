import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope, EventType } from '@vuka/contracts';
import { acceptedTokens, chainNamed, CURRENCIES, type IncomingTransfer } from '@vuka/domain';
import { parseEnvelope } from '@vuka/messaging';
import type { Database } from '@vuka/persistence';
import { createLogger, ManualClock, WakeSignal } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { SANDBOX_SCREENED } from '../screening/screening.js';
import { startOfframp, type OfframpService } from '../start-offramp.js';
import {
  HandJobs,
  HandWire,
  ScriptedReader,
  awaitingDeposit,
  found,
  hashOf,
  reverted,
  settingsOf,
  startTestDatabase,
  type ClaimFacts,
  type TestDatabase,
} from '../testing/offramp.spec-support.js';

/** offramp behind a wire, chains and a clock that a test moves; PostgreSQL is real. */
const NOW = new Date('2026-11-20T10:00:00.000Z');
/** Of ours, and nobody's deposit address. */
const TREASURY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const WITHIN = { withinMs: 10_000, what: 'it comes to that' };

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
let wire: HandWire;
let jobs: HandJobs;
let chains: Record<string, ScriptedReader>;
let offramp: OfframpService;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
}, 60_000);

afterAll(() => database.stop());

beforeEach(async () => {
  [clock, wire, jobs] = [new ManualClock(NOW), new HandWire(), new HandJobs()];
  chains = { CELO: new ScriptedReader(), BNB: new ScriptedReader() };
});

afterEach(async () => {
  await offramp.stop();
  await db.query('truncate claims, deposits, inbox, outbox, deposit_addresses, quotes, dead_letters');
});

interface Wish {
  readonly ownAddressesFile?: string;
  readonly unapplied?: 'keep' | 'wallet';
  readonly served?: readonly string[];
}

async function start({ unapplied = 'keep', served = ['CELO', 'BNB'], ...more }: Wish = {}): Promise<void> {
  offramp = await startOfframp({
    settings: settingsOf(Object.fromEntries(served.map((chain) => [chain, ['http://127.0.0.1:1']])), {
      unapplied,
      ...more,
    }),
    database: database.config,
    wire,
    jobs,
    outboxSignal: new WakeSignal(),
    clock,
    log: createLogger('test', { level: 'silent' }),
    openReader: async ({ chain }) => chains[chain.name] ?? never(),
  });
  await offramp.start();
}

function never(): never {
  throw new Error('no such chain here');
}

const tokenOf = (chain: string, symbol: string): string =>
  acceptedTokens(chainNamed(chain) ?? never()).find((token) => token.symbol === symbol)?.address ?? never();
const USDC = tokenOf('CELO', 'USDC');
const USDT = tokenOf('CELO', 'USDT');
/** 10.00 tokens of six decimals: over a thousand shillings. */
const TEN = 10_000_000n;

/** The address is there before the transfer, as a partner's is. */
async function addressed(partnerId = 1): Promise<string> {
  const answer = await offramp.handlers.listNetworks({ partner_id: partnerId }, {
    requestId: 'r',
    deadlineAt: 0,
  } as never);
  if (!answer.ok) return never();
  return (
    answer.value.networks.find(({ settlement_wallet_address }) => settlement_wallet_address !== '')
      ?.settlement_wallet_address ?? never()
  );
}

const claim = async (facts: Partial<ClaimFacts> & { transactionId: number }): Promise<Envelope> => {
  const event = awaitingDeposit({ acceptedAt: clock.now(), ...facts });
  await wire.deliver(event);
  return event;
};

interface ClaimRow {
  readonly state: string;
  readonly reason: string | null;
  readonly rate: string | null;
  readonly fence: number;
  readonly trouble: string | null;
}

const claimRow = async (id: number): Promise<ClaimRow | undefined> =>
  (
    await db.query<ClaimRow>('select state, reason, rate, fence, trouble from claims where transaction_id = $1', [id])
  )[0];
const ended = (id: number): Promise<ClaimRow> =>
  until(async () => {
    const row = await claimRow(id);
    return row && !['open', 'seen'].includes(row.state) ? row : null;
  }, WITHIN);
/** A look that ended nothing has been recorded: the claim waits for the next one. */
const looked = (id: number, times: number): Promise<unknown> =>
  until(
    async () =>
      (
        await db.query(
          "select 1 from claims where transaction_id = $1 and fence >= $2 and next_look_at - $3 <= interval '20 seconds'",
          [id, times, clock.now()],
        )
      )[0],
    WITHIN,
  );
const deposits = (): Promise<{ asset: string; state: string; received: string; claim: string; hit: boolean }[]> =>
  db.query(
    'select asset, state, received_minor::text as received, claim_id::text as claim, screening_hit as hit from deposits order by claim_id, asset',
  );

/** What was told, in the order of the log; each as a consumer would read it. */
async function told(): Promise<Envelope[]> {
  const rows = await db.query<{ envelope: string; topic: string }>(
    'select envelope, topic from outbox order by xid, id',
  );
  return rows.map(({ envelope, topic }) => parseEnvelope(envelope, topic));
}
const kinds = async (): Promise<string[]> =>
  (await told()).map(({ type, key, sequence }) => `${type} ${key}_${sequence}`);
async function dataOf<T extends EventType>(type: T): Promise<Envelope<T>['data']> {
  const event = (await told()).find((one): one is Envelope<T> => one.type === type);
  return event?.data ?? never();
}

/** Time passes until the next look, and it is had. */
async function lookAgain(): Promise<void> {
  clock.advance(30_000);
  await jobs.wake('offramp.look-at-claims');
}

const arrives = (
  id: number,
  transfers: readonly Partial<IncomingTransfer>[],
  options: { isYoung?: boolean; at?: Date } = {},
): void => chains['CELO']?.says(hashOf(id), found({ at: clock.now(), transfers, ...options }));

describe('a deposit that is final and covers the amount', () => {
  it('is verified, at the rate that was frozen when the claim came, and consumed', async () => {
    await start();
    const address = await addressed();
    arrives(1, [{ token: USDC, value: TEN }]);
    await claim({ transactionId: 1 });
    const { rate } = await ended(1);
    expect(await deposits()).toEqual([
      { asset: 'USDC@CELO', state: 'consumed', received: '10000000', claim: '1', hit: false },
    ]);
    expect(await kinds()).toEqual(['deposit.verified 1_1']);
    expect(await dataOf('deposit.verified')).toMatchObject({
      claim_id: 1,
      partner_id: 1,
      rate,
      quote_passed_over: null,
      screening_hit: false,
      also: [],
      deposit: {
        chain: 'CELO',
        asset: 'USDC@CELO',
        decimals: 6,
        received_minor: '10000000',
        transaction_hash: hashOf(1),
        block_number: 100,
        block_time: NOW.toISOString(),
      },
    });
    expect(Number(rate)).toBeCloseTo(Number(CURRENCIES.KES.sandboxRate) * 0.99, 5);
    expect(chains['CELO']?.reads).toEqual([{ transactionId: hashOf(1), address }]);
  });

  it('is told as seen once while it is not final, however often it is looked at', async () => {
    await start();
    await addressed();
    arrives(1, [{ token: USDC, value: TEN }], { isYoung: true });
    await claim({ transactionId: 1 });
    await until(async () => (await claimRow(1))?.state === 'seen', WITHIN);
    await lookAgain();
    await looked(1, 2);
    arrives(1, [{ token: USDC, value: TEN }]);
    await lookAgain();
    await ended(1);
    expect(await kinds()).toEqual(['deposit.seen 1_1', 'deposit.verified 1_2']);
  });

  it('is kept with what came beside it, which is used for nothing', async () => {
    await start();
    await addressed();
    arrives(1, [
      { token: USDT, value: 3n * TEN },
      { token: USDC, value: TEN },
    ]);
    await claim({ transactionId: 1, asset: 'USDC' });
    await ended(1);
    expect(await deposits()).toMatchObject([
      { asset: 'USDC@CELO', state: 'consumed' },
      { asset: 'USDT@CELO', state: 'unapplied' },
    ]);
    expect(await dataOf('deposit.verified')).toMatchObject({
      deposit: { asset: 'USDC@CELO' },
      also: [{ asset: 'USDT@CELO', received_minor: '30000000' }],
    });
  });

  it('from a sender on the list is for a person to look at', async () => {
    await start();
    await addressed();
    arrives(1, [{ token: USDC, value: TEN, from: SANDBOX_SCREENED }]);
    await claim({ transactionId: 1 });
    await ended(1);
    expect(await dataOf('deposit.verified')).toMatchObject({ screening_hit: true });
    expect(await deposits()).toMatchObject([{ state: 'consumed', hit: true }]);
  });
});

describe('value that cannot be used', () => {
  it.each<[string, Partial<ClaimFacts>, () => Partial<IncomingTransfer>[], number]>([
    ['underpaid', {}, () => [{ token: USDC, value: 5_000_000n }], 0],
    ['wrong_asset', { asset: 'USDC' }, () => [{ token: USDT, value: TEN }], 0],
    ['deposit_late', {}, () => [{ token: USDC, value: TEN }], -25 * 3_600_000],
  ])('waits as unapplied: %s', async (reason, facts, transfers, olderMs) => {
    await start();
    await addressed();
    arrives(1, transfers(), { at: new Date(clock.now().getTime() + olderMs) });
    await claim({ transactionId: 1, ...facts });
    expect(await ended(1)).toMatchObject({ state: 'unapplied', reason });
    expect(await kinds()).toEqual(['deposit.unapplied 1_1']);
    expect(await dataOf('deposit.unapplied')).toMatchObject({
      reason,
      also: [],
      deposit: { received_minor: String(transfers()[0]?.value) },
    });
    expect((await deposits()).map(({ state }) => state)).toEqual(['unapplied']);
  });

  it('goes to the wallet at the rate of the day where that is the policy, except what screening has marked', async () => {
    await start({ unapplied: 'wallet' });
    await addressed();
    arrives(1, [
      { token: USDC, value: 5_000_000n },
      { token: USDT, value: 1_000_000n },
    ]);
    arrives(2, [{ token: USDC, value: 5_000_000n, from: SANDBOX_SCREENED }]);
    await claim({ transactionId: 1 });
    await claim({ transactionId: 2 });
    await until(async () => (await told()).length >= 4, WITHIN);
    expect((await kinds()).filter((kind) => kind.includes(' 1_'))).toEqual([
      'deposit.unapplied 1_1',
      'deposit.credited 1_2',
      'deposit.credited 1_3',
    ]);
    expect(await deposits()).toMatchObject([
      { state: 'credited' },
      { state: 'credited' },
      { state: 'unapplied', hit: true },
    ]);
    expect(await dataOf('deposit.credited')).toMatchObject({
      claim_id: 1,
      partner_id: 1,
      currency: 'KES',
      deposit: { asset: 'USDC@CELO', received_minor: '5000000' },
    });
  });
});

describe('an address that money may be sent back to', () => {
  it("is anybody's but ours, and never a token", async () => {
    await start();
    const ours = await addressed();
    const theirs = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
    const check = (address: string, chain = 'CELO') =>
      offramp.handlers.checkRefundAddress({ chain, address }, { requestId: 'r', deadlineAt: 0 } as never);
    expect(await check(theirs.toLowerCase())).toEqual({ ok: true, value: { address: theirs } });
    for (const [address, chain] of [
      [ours, 'CELO'],
      [ours.toLowerCase(), 'BNB'],
      [USDC, 'CELO'],
      [`0x${'0'.repeat(40)}`, 'CELO'],
      ['somewhere', 'CELO'],
    ] as const) {
      expect(await check(address, chain)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    }
    expect(await check(theirs, 'BASE')).toMatchObject({ ok: false, error: { code: 'service_unavailable' } });
  });
});

describe('no value for us', () => {
  it('is unusable once final: a transfer of something else, or to somebody else', async () => {
    await start();
    await addressed();
    arrives(1, []);
    arrives(2, [{ token: '0x59D9356E565Ab3A36dD77763Fc0d87fEaf85508C', value: TEN }]);
    for (const transactionId of [1, 2]) await claim({ transactionId });
    for (const id of [1, 2])
      expect(await ended(id)).toMatchObject({ state: 'unusable', reason: 'no_matching_transfer' });
    expect(await dataOf('deposit.unusable')).toMatchObject({ reason: 'no_matching_transfer', releases_claim: false });
    expect(await deposits()).toEqual([]);
  });

  it('is a transfer between addresses of ours', async () => {
    await start();
    await addressed(1);
    const from = await addressed(2);
    arrives(1, [{ token: USDC, value: TEN, from }]);
    await claim({ transactionId: 1 });
    expect(await ended(1)).toMatchObject({ state: 'unusable', reason: 'no_matching_transfer' });
  });

  it('is a transfer from an address that is listed as ours, such as the treasury', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'own-'));
    const ownAddressesFile = join(folder, 'own.json');
    await writeFile(ownAddressesFile, JSON.stringify([TREASURY.toLowerCase()]));
    await start({ ownAddressesFile });
    await rm(folder, { recursive: true });
    await addressed();
    arrives(1, [{ token: USDC, value: TEN, from: TREASURY }]);
    arrives(2, [
      { token: USDC, value: TEN, from: TREASURY },
      { token: USDC, value: TEN },
    ]);
    for (const transactionId of [1, 2]) await claim({ transactionId });
    expect(await ended(1)).toMatchObject({ state: 'unusable', reason: 'no_matching_transfer' });
    expect(await ended(2)).toMatchObject({ state: 'verified' });
    expect(await deposits()).toMatchObject([{ claim: '2', received: String(TEN) }]);
  });

  it('is a transaction that was reverted', async () => {
    await start();
    chains['CELO']?.says(hashOf(1), reverted(clock.now()));
    await claim({ transactionId: 1 });
    expect(await ended(1)).toMatchObject({ state: 'unusable', reason: 'transfer_failed' });
  });

  it('is a hash that was not found by the deadline, and no moment before; it is released', async () => {
    await start();
    await claim({ transactionId: 1 });
    await looked(1, 1);
    clock.set(new Date(NOW.getTime() + 45 * 60_000 - 1));
    await jobs.wake('offramp.look-at-claims');
    await looked(1, 2);
    expect(await told()).toEqual([]);
    await lookAgain();
    expect(await ended(1)).toMatchObject({ state: 'unusable', reason: 'no_matching_transfer' });
    expect(await dataOf('deposit.unusable')).toMatchObject({ releases_claim: true });
  });

  it('is what was not final by the deadline; it is released, and may be claimed again', async () => {
    await start();
    await addressed();
    arrives(1, [{ token: USDC, value: TEN }], { isYoung: true });
    await claim({ transactionId: 1 });
    await until(async () => (await claimRow(1))?.state === 'seen', WITHIN);
    clock.advance(45 * 60_000);
    await jobs.wake('offramp.look-at-claims');
    expect(await ended(1)).toMatchObject({ reason: 'transfer_not_final' });
    expect(await dataOf('deposit.unusable')).toMatchObject({ releases_claim: true });
    arrives(1, [{ token: USDC, value: TEN }], { at: NOW });
    await jobs.wake('offramp.refresh-rates');
    await claim({ transactionId: 2, transaction_hash: hashOf(1) });
    expect(await ended(2)).toMatchObject({ state: 'verified' });
  });
});

it('a chain that never answers keeps nobody from stopping', async () => {
  await start();
  await addressed();
  chains['CELO']?.says(hashOf(1), () => new Promise(() => undefined));
  await claim({ transactionId: 1 });
  await until(() => chains['CELO']?.reads.length === 1, WITHIN);
  const stoppedAt = performance.now();
  await offramp.stop();
  expect(performance.now() - stoppedAt).toBeLessThan(4_500);
  expect(chains['CELO']?.isClosed).toBe(true);
}, 10_000);
