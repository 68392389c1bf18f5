import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { money, type Problem, type Result } from '@vuka/domain';
import { CommitOutcomeUnknownError, listAuditEntries, type Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';

import { CommitWriter } from '../commit/commit-writer.js';
import { checkLedger } from '../ledger/check-ledger.js';
import { partsOn } from '../testing/parts.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import type { FloatMovement, MovementProposal } from './float-movement.js';
import { FloatMovementStore } from './float-movement.store.js';
import { MoveFloat } from './move-float.js';

const CELO = 'USDC@CELO';
const NOTHING = { provider: null, wallet: null, asset: null, tokens: null };
const FLOAT = { ...NOTHING, provider: 'sandbox', wallet: 'main' };

let pg: PaymentsDatabase;
let people: MoveFloat;
const clock = new ManualClock(new Date('2026-11-20T12:00:00.000Z'));

const on = (db: Database): MoveFloat => {
  const provider = new ScriptedProvider([]);
  return partsOn(db, clock, [provider], [CommitWriter, partsOn(pg.db, clock).get(CommitWriter)]).get(MoveFloat);
};

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
beforeEach(() => {
  people = on(pg.db);
});
afterAll(() => pg.stopWhole());

const codeOf = (result: Result<unknown, Problem>): string => (result.ok ? 'ok' : result.error.code);

const propose = (
  kind: MovementProposal['kind'],
  amount: string,
  more: Partial<MovementProposal> = {},
): Promise<Result<FloatMovement, Problem>> =>
  people.propose({ kind, currency: 'KES', amount, ...NOTHING, evidence: 'bank line 9', by: 'Ann Otieno', ...more });

async function proposed(...args: Parameters<typeof propose>): Promise<number> {
  const made = await propose(...args);
  if (!made.ok) throw new Error(made.error.message);
  return made.value.id;
}

const approve = (movementId: number, by = 'Ben Mwangi', via = people): Promise<Result<FloatMovement, Problem>> =>
  via.approve({ movementId, reason: 'seen in the portal', by });

const done = async (...args: Parameters<typeof propose>): Promise<string> =>
  codeOf(await approve(await proposed(...args)));

/** What was added to it since the suite began. */
async function sumOf(name: string): Promise<bigint> {
  const [row] = await pg.db.query<{ minor: string }>(
    `select coalesce(sum(case when e.to_account = a.id then e.amount_minor else -e.amount_minor end), 0)::text as minor
       from accounts a join entries e on a.id in (e.from_account, e.to_account) where a.name = $1`,
    [name],
  );
  return BigInt(row?.minor ?? 0);
}

async function all(): Promise<Record<string, bigint>> {
  const rows = await pg.db.query<{ name: string }>('select name from accounts order by name');
  return Object.fromEntries(await Promise.all(rows.map(async ({ name }) => [name, await sumOf(name)] as const)));
}

/** What one movement added to each account. */
async function changeOf(...args: Parameters<typeof propose>): Promise<Record<string, bigint>> {
  const before = await all();
  expect(await done(...args)).toBe('ok');
  const after = await all();
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, minor]) => [name, minor - (before[name] ?? 0n)] as const)
      .filter(([, minor]) => minor !== 0n),
  );
}

describe('money of ours at banks and providers', () => {
  it('is posted by kind, each one and back', async () => {
    const rail = 'rail:sandbox:main:KES';
    expect(await changeOf('bank_funded', '1000.00')).toEqual({ 'bank:KES': -1000_00n, 'treasury:KES': 1000_00n });
    expect(await changeOf('float_funded', '600', FLOAT)).toEqual({ 'bank:KES': 600_00n, [rail]: -600_00n });
    expect(await changeOf('provider_fee', '2.50', FLOAT)).toEqual({ [rail]: 2_50n, 'rail_cost:KES': -2_50n });
    expect(await changeOf('provider_fee_returned', '1', FLOAT)).toEqual({ [rail]: -1_00n, 'rail_cost:KES': 1_00n });
    expect(await changeOf('float_withdrawn', '100', FLOAT)).toEqual({ 'bank:KES': -100_00n, [rail]: 100_00n });
    const trade = { asset: CELO, tokens: '3.5' };
    expect(await changeOf('stablecoin_bought', '450', trade)).toEqual({
      'bank:KES': 450_00n,
      'fx:KES': -450_00n,
      'chain:CELO:USDC@CELO': -3_500_000n,
      'fx:USDC@CELO': 3_500_000n,
    });
    expect(await changeOf('stablecoin_sold', '400', trade)).toEqual({
      'bank:KES': -400_00n,
      'fx:KES': 400_00n,
      'chain:CELO:USDC@CELO': 3_500_000n,
      'fx:USDC@CELO': -3_500_000n,
    });
    expect(await changeOf('bank_withdrawn', '10', {})).toEqual({ 'bank:KES': 10_00n, 'treasury:KES': -10_00n });
    expect(await pg.broken()).toEqual([]);
  });

  it('is posted once two have agreed, and stands on the record', async () => {
    const before = await sumOf('bank:KES');
    const id = await proposed('bank_funded', '7.00', { evidence: 'bank line 12' });
    expect([await sumOf('bank:KES'), codeOf(await approve(id, ' ANN  otieno'))]).toEqual([before, 'forbidden']);
    expect(await approve(id)).toMatchObject({
      ok: true,
      value: {
        id,
        kind: 'bank_funded',
        amount: money(7_00n, 'KES'),
        evidence: 'bank line 12',
        approvedBy: 'Ben Mwangi',
      },
    });
    expect(await sumOf('bank:KES')).toBe(before - 7_00n);
    const entries = (await listAuditEntries(pg.db, { limit: 100 })).filter(
      ({ subject }) => subject === `float movement ${id}`,
    );
    expect(entries.map(({ act, by, approvedBy, details }) => [act, by, approvedBy, details]).reverse()).toEqual([
      ['float_movement.proposed', 'Ann Otieno', null, { kind: 'bank_funded', amount_minor: '700', currency: 'KES' }],
      [
        'float_movement.approved',
        'Ann Otieno',
        'Ben Mwangi',
        { kind: 'bank_funded', amount_minor: '700', currency: 'KES' },
      ],
    ]);
  });

  it('is posted once, however many approve it at once in however many processes', async () => {
    const before = await sumOf('bank:KES');
    const id = await proposed('bank_funded', '5.00');
    const processes = [people, on(await pg.connect()), on(await pg.connect())];
    const answers = await Promise.all(
      ['Ben', 'Chep', 'Dora', 'ben '].map((by, n) => approve(id, by, processes[n % 3])),
    );
    expect(answers.some(({ ok }) => ok)).toBe(true);
    const winner = answers.find(({ ok }) => ok);
    const name = winner?.ok === true ? (winner.value.approvedBy ?? '') : '';
    expect(await approve(id, name.toUpperCase())).toMatchObject({ ok: true, value: { approvedBy: name } });
    expect(await sumOf('bank:KES')).toBe(before - 5_00n);
  });

  it('never leaves less than nothing, also where two leave at once', async () => {
    const has = -(await sumOf('bank:KES'));
    const text = (minor: bigint): string => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
    expect(await done('bank_withdrawn', text(has + 1n))).toBe('insufficient_balance');
    const ids = await Promise.all([1, 2, 3].map(() => proposed('float_funded', text(has), FLOAT)));
    const other = on(await pg.connect());
    const codes = await Promise.all(
      ids.map(async (id, n) => codeOf(await approve(id, 'Ben', n === 1 ? other : people))),
    );
    expect([codes.sort(), await sumOf('bank:KES')]).toEqual([
      ['insufficient_balance', 'insufficient_balance', 'ok'],
      0n,
    ]);
    const rail = -(await sumOf('rail:sandbox:main:KES'));
    expect(await done('provider_fee', text(rail + 1n), FLOAT)).toBe('insufficient_balance');
    expect(await done('stablecoin_sold', '1', { asset: CELO, tokens: '1000000' })).toBe('insufficient_balance');
    expect(await pg.broken()).toEqual([]);
    expect(await done('float_withdrawn', text(has), FLOAT)).toBe('ok');
  });

  it('is asked to people again where the answer of its commit was lost, and is then there or not', async () => {
    const id = await proposed('bank_funded', '3.00');
    const losing = {
      query: pg.db.query.bind(pg.db),
      inTransaction: async (work: Parameters<Database['inTransaction']>[0]): Promise<never> => {
        await pg.db.inTransaction(work);
        throw new CommitOutcomeUnknownError(new Error('the answer is lost'));
      },
    } as unknown as Database;
    await expect(approve(id, 'Ben', on(losing))).rejects.toThrow(CommitOutcomeUnknownError);
    const before = await sumOf('bank:KES');
    expect(codeOf(await approve(id, 'Ben'))).toBe('ok');
    expect(await sumOf('bank:KES')).toBe(before);
  });

  it('may be taken back before it is posted, by anybody, and not afterwards', async () => {
    const id = await proposed('bank_funded', '4.00');
    const withdraw = (movementId: number): Promise<Result<FloatMovement, Problem>> =>
      people.withdraw({ movementId, reason: 'wrong line', by: 'Chep' });
    expect(await withdraw(id)).toMatchObject({ ok: true, value: { withdrawnBy: 'Chep', withdrawnWhy: 'wrong line' } });
    expect([codeOf(await approve(id)), codeOf(await withdraw(id))]).toEqual(['invalid_request', 'invalid_request']);
    const posted = await proposed('bank_funded', '4.00');
    await approve(posted);
    expect([codeOf(await withdraw(posted)), codeOf(await withdraw(10 ** 9)), codeOf(await approve(10 ** 9))]).toEqual([
      'invalid_request',
      'not_found',
      'not_found',
    ]);
    const open = await new FloatMovementStore(pg.db).list({ open: true, limit: 500 });
    expect(open.map((one) => one.id)).not.toEqual(expect.arrayContaining([id, posted]));
  });

  it.each<[string, MovementProposal['kind'], string, Partial<MovementProposal>, string]>([
    ['a wallet that the provider has not', 'float_funded', '1', { ...FLOAT, wallet: 'mian' }, 'not_found'],
    ['a wallet of another currency', 'float_funded', '1', { ...FLOAT, currency: 'GHS' }, 'not_found'],
    ['a provider that is none', 'provider_fee', '1', { ...FLOAT, provider: 'pawapai' }, 'not_found'],
    ['what is no name', 'provider_fee', '1', { ...FLOAT, wallet: 'main:KES' }, 'not_found'],
    ['no wallet', 'float_funded', '1', { provider: 'sandbox' }, 'invalid_request'],
    ['a wallet of a bank', 'bank_funded', '1', FLOAT, 'invalid_request'],
    ['tokens of a float', 'float_funded', '1', { ...FLOAT, asset: CELO, tokens: '1' }, 'invalid_request'],
    ['a sale of nothing', 'stablecoin_sold', '1', { asset: CELO }, 'invalid_request'],
    ['a token that is none', 'stablecoin_sold', '1', { asset: 'USDX@CELO', tokens: '1' }, 'invalid_request'],
    ['a token of no chain', 'stablecoin_sold', '1', { asset: 'USDC', tokens: '1' }, 'invalid_request'],
    ['parts of a token', 'stablecoin_sold', '1', { asset: CELO, tokens: '0.0000001' }, 'invalid_request'],
    ['no tokens', 'stablecoin_sold', '1', { asset: CELO, tokens: '0' }, 'amount_out_of_range'],
    ['nothing', 'bank_funded', '0', {}, 'amount_out_of_range'],
    ['parts of a cent', 'bank_funded', '1.001', {}, 'invalid_request'],
    ['too much', 'bank_funded', '1000000000000.01', {}, 'amount_out_of_range'],
    ['a currency that is none', 'bank_funded', '1', { currency: 'ZZZ' }, 'unsupported_currency'],
    ['nobody', 'bank_funded', '1', { by: ' ' }, 'invalid_request'],
    ['no evidence', 'bank_funded', '1', { evidence: ' ' }, 'invalid_request'],
  ])('is not proposed of %s', async (_what, kind, amount, more, code) => {
    expect(codeOf(await propose(kind, amount, more))).toBe(code);
  });

  it('may be posted of a wallet that stands in the ledger, though its provider is configured no more', async () => {
    expect(await done('bank_funded', '1')).toBe('ok');
    people = partsOn(pg.db, clock, []).get(MoveFloat);
    expect([
      codeOf(await propose('float_funded', '1', FLOAT)),
      codeOf(await propose('float_funded', '1', { ...FLOAT, wallet: 'ke' })),
    ]).toEqual(['ok', 'not_found']);
  });

  it('is what the ledger check holds every such posting against', async () => {
    const broken = async (): Promise<unknown> =>
      (await checkLedger(pg.db)).checks.find(({ rule }) => rule.startsWith('each approved float movement'))?.broken;
    const id = await proposed('stablecoin_bought', '1.00', { asset: CELO, tokens: '2' });
    await done('bank_funded', '1.00');
    await approve(id);
    expect(await broken()).toEqual([]);
    const set = (sql: string): Promise<unknown> => pg.db.query(`update float_movements set ${sql} where id = $1`, [id]);
    await set('tokens_minor = tokens_minor + 1');
    expect(await broken()).toEqual([{ reference: `float-movement:${id}`, agreed: '2000001', posted: '2000000' }]);
    await set("tokens_minor = tokens_minor - 1, kind = 'stablecoin_sold'");
    expect(await broken()).toHaveLength(2);
    await set("kind = 'stablecoin_bought'");
    await pg.db.query(`update float_movements set approved_at = null, approved_by = null where id = $1`, [id]);
    const unagreed = (await broken()) as { posted: string }[];
    expect(unagreed.sort((a, b) => a.posted.length - b.posted.length)).toEqual([
      { reference: `float-movement:${id}`, agreed: null, posted: '100' },
      { reference: `float-movement:${id}`, agreed: null, posted: '2000000' },
    ]);
    await pg.db.query(`update float_movements set approved_at = now(), approved_by = 'Ben' where id = $1`, [id]);
  });
});

describe('the database', () => {
  it('keeps no movement that names what its kind has not, and none of one person', async () => {
    const insert = (columns: string, values: string): Promise<unknown> =>
      pg.db.query(
        `insert into float_movements (currency, amount_minor, evidence, proposed_by, proposed_at, ${columns}) values ('KES', 1, 'e', 'Ann', now(), ${values})`,
      );
    for (const [columns, values] of [
      ['kind', `'float_funded'`],
      ['kind, provider', `'float_funded', 'sandbox'`],
      ['kind, provider, wallet', `'bank_funded', 'sandbox', 'main'`],
      ['kind, asset', `'stablecoin_sold', 'USDC@CELO'`],
      ['kind, asset, tokens_minor', `'stablecoin_sold', 'USDC@CELO', 0`],
      ['kind', `'wallet_topped_up'`],
      ['kind, approved_by, approved_at', `'bank_funded', 'ann', now()`],
    ] as const)
      await expect(insert(columns, values)).rejects.toThrow(/float_movements_/);
  });
});
