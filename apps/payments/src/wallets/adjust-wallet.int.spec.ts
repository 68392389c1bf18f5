import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Problem, Result } from '@vuka/domain';
import { CommitOutcomeUnknownError, listActs, type Database } from '@vuka/persistence';
import { Cipher, ManualClock, WakeSignal } from '@vuka/runtime';

import { MoneyDesk, type StatementWanted } from '../admin/money-desk.js';
import type { StatementView } from '../admin/readers/money-views.js';
import { MoveWriter } from '../commit/move-writer.js';
import { checkLedger } from '../ledger/check-ledger.js';
import { PageCursors } from '../lists/page-cursor.js';
import { silent, startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { dice } from '../testing/payout-chaos.spec-support.js';
import { AMOUNT, FEE, FUNDS, nextPartner, Road, ScriptedRail } from '../testing/payout-road.spec-support.js';
import { AdjustWallet, MOST_ADJUSTED_MINOR } from './adjust-wallet.js';
import type { KeptAdjustment } from './adjustment.store.js';

const WHY = 'bank slip 81';
const NOON = new Date('2026-11-20T12:00:00.000Z');
const EVER = { from: '2026-01-01T00:00:00.000Z', before: '2028-01-01T00:00:00.000Z' };

let pg: PaymentsDatabase;
let clock: ManualClock;
let adjusting: AdjustWallet;
let partner: number;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
beforeEach(() => {
  clock = new ManualClock(NOON);
  adjusting = on(pg.db);
  partner = nextPartner();
});
afterAll(() => pg.stopWhole());

/** As another process has it. */
const on = (db: Database): AdjustWallet =>
  new AdjustWallet(db, new MoveWriter(pg.db, clock, silent, new WakeSignal()), clock);
const desk = (): MoneyDesk =>
  new MoneyDesk(
    pg.db,
    new MoveWriter(pg.db, clock, silent, new WakeSignal()),
    new PageCursors(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }])),
    clock,
  );

async function proposed(amount: string, direction: 'fund' | 'debit' = 'fund', by = 'Amina Otieno'): Promise<number> {
  const made = await adjusting.propose({ partnerId: partner, currency: 'KES', direction, amount, reason: WHY, by });
  if (!made.ok) throw new Error(made.error.message);
  return made.value.id;
}

const approve = (
  adjustmentId: number,
  by = 'Brian Mwangi',
  via = adjusting,
): Promise<Result<KeptAdjustment, Problem>> => via.approve({ adjustmentId, reason: 'the slip is there', by });
const codeOf = (result: Result<unknown, Problem>): string => (result.ok ? 'ok' : result.error.code);
const fund = async (amount: string): Promise<void> =>
  void expect(codeOf(await approve(await proposed(amount)))).toBe('ok');

async function wallet(): Promise<bigint | null> {
  const [row] = await pg.db.query<{ minor: string }>(
    'select balance_minor::text as minor from accounts where name = $1',
    [`wallet:${partner}:KES`],
  );
  return row ? BigInt(row.minor) : null;
}

const acts = async (): Promise<unknown[]> =>
  (await listActs(pg.db, { partnerId: partner, limit: 100 }))
    .map(({ act, by, approvedBy }) => [act, by, approvedBy])
    .reverse();

async function whole(more: Partial<StatementWanted> = {}): Promise<StatementView> {
  const answer = await desk().statement({
    partnerId: partner,
    currency: 'KES',
    ...EVER,
    limit: 500,
    cursor: null,
    ...more,
  });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

describe('money that people give to a wallet', () => {
  it('makes the wallet, once somebody else has approved it, and stands in the statement and on the record', async () => {
    const id = await proposed('1500.50');
    expect([
      await wallet(),
      (await desk().adjustments({ open: true, limit: 500 })).filter(({ partner_id }) => partner_id === partner),
    ]).toMatchObject([
      null,
      [
        {
          id,
          state: 'proposed',
          amount: { amount: '1500.50', currency: 'KES' },
          amount_minor: '150050',
          proposed_by: 'Amina Otieno',
        },
      ],
    ]);
    expect(await approve(id, '  brian   mwangi ')).toMatchObject({
      ok: true,
      value: { approvedBy: 'brian mwangi', approvedAt: NOON },
    });
    expect(await wallet()).toBe(1500_50n);
    expect((await whole()).entries).toMatchObject([
      { kind: 'top_up', transaction_code: '', amount: '1500.50', balance: '1500.50' },
    ]);
    expect(await acts()).toEqual([
      ['adjustment.proposed', 'Amina Otieno', null],
      ['adjustment.approved', 'Amina Otieno', 'brian mwangi'],
    ]);
    expect(await desk().adjustments({ partnerId: partner, open: true, limit: 10 })).toEqual([]);
    expect(await desk().wallets(partner)).toMatchObject([
      { currency: 'KES', balance: { amount: '1500.50' }, held: { amount: '0.00' }, owed: { amount: '0.00' } },
    ]);
  });

  it.each(['Amina Otieno', ' AMINA  otieno', 'amina\u00a0otieno', 'Ａｍｉｎａ Otieno', 'Amina\u200b Otieno'])(
    'is not approved by who proposed it, written %j',
    async (by) => {
      const id = await proposed('10.00');
      expect(codeOf(await approve(id, by))).toBe('forbidden');
      expect([await wallet(), (await desk().adjustment(id))?.state]).toEqual([null, 'proposed']);
    },
  );

  it('is posted once, however many approve it at once in however many processes; who approved is told the same again', async () => {
    const id = await proposed('10.00');
    const processes = [adjusting, on(await pg.connect()), on(await pg.connect())];
    const answers = await Promise.all(
      ['Brian', 'Chep', 'Dora', 'brian '].map((by, n) => approve(id, by, processes[n % 3])),
    );
    const winner = (await desk().adjustment(id))?.approved_by ?? '';
    expect([await wallet(), answers.filter((answer) => answer.ok).length]).toEqual([
      10_00n,
      winner.toLowerCase() === 'brian' ? 2 : 1,
    ]);
    expect(answers.filter((answer) => !answer.ok).map(codeOf)).toEqual(expect.arrayContaining(['invalid_request']));
    expect(await approve(id, winner.toUpperCase())).toMatchObject({ ok: true, value: { approvedBy: winner } });
    expect([await wallet(), (await acts()).length]).toEqual([10_00n, 2]);
  });

  it('pays what the partner owes first of all that comes in', async () => {
    await fund('5.00');
    await pg.db.query(
      `insert into accounts (name, kind, partner_id, asset, balance_minor, created_at) values ($1, 'receivable', $2, 'KES', 0, now())`,
      [`receivable:${partner}:KES`, partner],
    );
    const road = new Road(pg, undefined);
    road.partner = partner;
    await road.writer.commit(
      {
        moveId: '01939d2e-0000-7000-8000-000000000001',
        transactionId: null,
        expectedSequence: 0,
        transitions: [],
        outbox: [],
        postings: [
          {
            reference: `p15:${partner}`,
            kind: 'P15',
            legs: [{ from: `receivable:${partner}:KES`, to: 'fx:KES', asset: 'KES', amount: 30_00n }],
          },
        ],
      },
      'background',
    );
    await fund('100.00');
    await road.collect();
    expect([await wallet(), await road.debt()]).toEqual([75_00n, 0n]);
    expect((await whole()).entries.map(({ kind }) => kind)).toEqual(['collected', 'top_up', 'top_up']);
  });

  it.each([
    ['0', 'amount_out_of_range'],
    ['-5', 'invalid_request'],
    ['1.001', 'invalid_request'],
    ['1e3', 'invalid_request'],
    ['', 'invalid_request'],
    [(MOST_ADJUSTED_MINOR / 100n + 1n).toString(), 'amount_out_of_range'],
    ['9'.repeat(50), 'invalid_request'],
  ])('is no amount like %j', async (amount, code) => {
    expect(
      codeOf(
        await adjusting.propose({
          partnerId: partner,
          currency: 'KES',
          direction: 'fund',
          amount,
          reason: WHY,
          by: 'Amina',
        }),
      ),
    ).toBe(code);
  });

  it('wants a currency that there is, a name and a reason', async () => {
    const sound = {
      partnerId: partner,
      currency: 'KES',
      direction: 'fund',
      amount: '1',
      reason: WHY,
      by: 'Amina',
    } as const;
    for (const [more, code] of [
      [{ currency: 'XXX' }, 'unsupported_currency'],
      [{ by: ' ' }, 'invalid_request'],
      [{ reason: '\t' }, 'invalid_request'],
    ] as const) {
      expect(codeOf(await adjusting.propose({ ...sound, ...more }))).toBe(code);
    }
    const id = await proposed('1');
    expect(codeOf(await adjusting.approve({ adjustmentId: id, by: 'Brian', reason: '' }))).toBe('invalid_request');
    expect([
      codeOf(await approve(987_654_321)),
      codeOf(await adjusting.withdraw({ adjustmentId: 987_654_321, by: 'B', reason: 'x' })),
    ]).toEqual(['not_found', 'not_found']);
  });

  it('is withdrawn by anybody while it is open, and neither then carried out nor taken back afterwards', async () => {
    const [first, second] = [await proposed('10.00'), await proposed('20.00')];
    expect(
      codeOf(await adjusting.withdraw({ adjustmentId: first, reason: 'the slip is another partner’s', by: 'Brian' })),
    ).toBe('ok');
    expect([
      codeOf(await approve(first)),
      codeOf(await approve(second)),
      codeOf(await adjusting.withdraw({ adjustmentId: second, reason: 'late', by: 'Brian' })),
    ]).toEqual(['invalid_request', 'ok', 'invalid_request']);
    expect([await wallet(), (await desk().adjustment(first))?.withdrawn_why]).toEqual([
      20_00n,
      'the slip is another partner’s',
    ]);
  });
});

describe('money that people take from a wallet', () => {
  it('is not more than there is: the proposal stays, and is carried out when there is enough', async () => {
    expect(
      codeOf(
        await adjusting.propose({
          partnerId: partner,
          currency: 'KES',
          direction: 'debit',
          amount: '1',
          reason: WHY,
          by: 'Amina',
        }),
      ),
    ).toBe('not_found');
    await fund('100.00');
    const id = await proposed('100.01', 'debit');
    expect(codeOf(await approve(id))).toBe('insufficient_balance');
    expect([await wallet(), (await desk().adjustment(id))?.state]).toEqual([100_00n, 'proposed']);
    await fund('0.01');
    expect([codeOf(await approve(id)), await wallet()]).toEqual(['ok', 0n]);
    expect((await whole()).entries[0]).toMatchObject({ kind: 'debit', amount: '-100.01', balance: '0.00' });
  });

  it('and payouts at the same moment never take more than there was', async () => {
    const road = await new Road(pg, new ScriptedRail([])).accepted();
    partner = road.partner;
    const ids = await Promise.all(Array.from({ length: 6 }, () => proposed('150.00', 'debit')));
    const others = [adjusting, on(await pg.connect())];
    const [debits, payouts] = await Promise.all([
      Promise.all(ids.map((id, n) => approve(id, 'Brian', others[n % 2]))),
      Promise.all(
        Array.from({ length: 3 }, () =>
          new Road(pg, undefined).acceptedFor(partner).then(
            () => true,
            () => false,
          ),
        ),
      ),
    ]);
    const taken =
      BigInt(debits.filter((debit) => debit.ok).length) * 150_00n +
      BigInt(payouts.filter((isTaken) => isTaken).length) * (AMOUNT + FEE);
    expect(await wallet()).toBe(FUNDS - AMOUNT - FEE - taken);
    expect(taken).toBeLessThanOrEqual(FUNDS - AMOUNT - FEE);
    expect(debits.filter((debit) => !debit.ok).map(codeOf)).toEqual(
      debits.filter((debit) => !debit.ok).map(() => 'insufficient_balance'),
    );
    expect((await desk().adjustments({ partnerId: partner, open: true, limit: 10 })).length).toBe(
      debits.filter((debit) => !debit.ok).length,
    );
  });
});

describe('an approval that is cut off', () => {
  it('before it is recorded leaves nothing: neither money nor an approval', async () => {
    const id = await proposed('10.00');
    const cut: Pick<Database, 'query' | 'inTransaction'> = {
      query: (...statement) => pg.db.query(...statement),
      inTransaction: (work) =>
        pg.db.inTransaction((tx) =>
          work({
            ...tx,
            query: (sql, ...rest) =>
              sql.includes('insert into acts') ? Promise.reject(new Error('killed')) : tx.query(sql, ...rest),
          }),
        ),
    };
    await expect(approve(id, 'Brian', on(cut as Database))).rejects.toThrow('killed');
    expect([await wallet(), (await desk().adjustment(id))?.state, (await acts()).length]).toEqual([0n, 'proposed', 1]);
    expect([codeOf(await approve(id)), await wallet()]).toEqual(['ok', 10_00n]);
  });

  it('after its commit is there when it is asked for again', async () => {
    const id = await proposed('10.00');
    const lost = {
      query: pg.db.query.bind(pg.db),
      inTransaction: async <T>(work: Parameters<Database['inTransaction']>[0]): Promise<T> => {
        await pg.db.inTransaction(work);
        throw new CommitOutcomeUnknownError(new Error('the answer is lost'));
      },
    } as unknown as Database;
    await expect(approve(id, 'Brian', on(lost))).rejects.toThrow(CommitOutcomeUnknownError);
    expect(await approve(id, 'Brian')).toMatchObject({ ok: true, value: { approvedBy: 'Brian' } });
    expect([await wallet(), (await acts()).length]).toEqual([10_00n, 2]);
  });
});

describe('a statement for people', () => {
  const minor = (text: string): bigint => BigInt(text.replace('.', ''));

  it.each([1, 2, 3])(
    'runs from its opening to its closing balance, which are what the ledger’s entries add up to (%i)',
    async (seed) => {
      const random = dice(seed * 7_919);
      await fund('500.00');
      for (let step = 0; step < 24; step++) {
        clock.advance(Math.floor(random() * 6 * 3_600_000));
        const amount = (random() * 200 + 0.01).toFixed(2);
        await approve(await proposed(amount, random() < 0.5 ? 'fund' : 'debit'), 'Brian');
        const road = new Road(pg, undefined);
        road.clock.set(clock.now());
        if (random() < 0.3) await road.acceptedFor(partner).catch(() => undefined);
      }
      for (const [fromHours, hours] of [
        [0, 24],
        [10, 30],
        [24, 24],
        [0, 1_000],
        [900, 10],
      ] as const) {
        const from = new Date(NOON.getTime() + fromHours * 3_600_000).toISOString();
        const period = { from, before: new Date(Date.parse(from) + hours * 3_600_000).toISOString() };
        const pages = [await whole({ ...period, limit: 5 })];
        for (let last = pages[0]!; last.next_cursor !== null; pages.push(last))
          last = await whole({ ...period, limit: 5, cursor: last.next_cursor });
        const [first] = pages;
        let running = minor(first!.opening!.amount);
        for (const { amount, balance } of pages.flatMap(({ entries }) => entries).reverse()) {
          running += minor(amount);
          expect(minor(balance)).toBe(running);
        }
        const [ledger] = await pg.db.query<{ closing: string }>(
          `select coalesce(sum(case when e.to_account = a.id then e.amount_minor else -e.amount_minor end), 0)::text as closing
           from accounts a join entries e on a.id in (e.from_account, e.to_account) where a.name = $1 and e.at < $2`,
          [`wallet:${partner}:KES`, period.before],
        );
        expect([running, minor(first!.closing!.amount)]).toEqual([BigInt(ledger!.closing), BigInt(ledger!.closing)]);
        expect(pages.slice(1).map(({ opening, closing }) => [opening, closing])).toEqual(
          pages.slice(1).map(() => [null, null]),
        );
      }
    },
  );

  it('is not told of a wallet whose entries are not what is kept of it', async () => {
    await fund('10.00');
    await pg.db.query('update accounts set balance_minor = balance_minor + 1 where name = $1', [
      `wallet:${partner}:KES`,
    ]);
    await expect(whole()).rejects.toThrow('ledger:check');
    expect((await checkLedger(pg.db)).ok).toBe(false);
    await pg.db.query('update accounts set balance_minor = balance_minor - 1 where name = $1', [
      `wallet:${partner}:KES`,
    ]);
  });

  it('is not there of a wallet that is not', async () => {
    expect(
      codeOf(await desk().statement({ partnerId: partner, currency: 'KES', ...EVER, limit: 5, cursor: null })),
    ).toBe('not_found');
  });
});

describe('the record of what people did', () => {
  it('is added to and never changed', async () => {
    await fund('10.00');
    for (const sql of ["update acts set by_whom = 'nobody'", 'delete from acts', 'truncate acts']) {
      await expect(pg.db.query(sql)).rejects.toThrow('acts are a record');
    }
    expect((await acts()).length).toBe(2);
  });

  it('has money of people’s only where two have agreed, by the ledger’s own check', async () => {
    const broken = async (): Promise<unknown> =>
      (await checkLedger(pg.db)).checks.find(({ rule }) => rule.startsWith('each adjustment'))?.broken;
    const id = await proposed('10.00');
    await approve(id);
    expect(await broken()).toEqual([]);
    await pg.db.query('update adjustments set amount_minor = amount_minor + 1 where id = $1', [id]);
    expect(await broken()).toEqual([{ reference: `p0b:${id}`, agreed: '1001', posted: '1000' }]);
    await pg.db.query('update adjustments set amount_minor = amount_minor - 1 where id = $1', [id]);
    const [unposted] = await pg.db.query<{ id: string }>(
      `insert into adjustments (partner_id, currency, direction, amount_minor, reason, proposed_by, proposed_at, approved_by, approved_at) values ($1, 'KES', 'fund', 5, 'x', 'a', now(), 'b', now()) returning id::text as id`,
      [partner],
    );
    expect(await broken()).toEqual([{ reference: `p0b:${unposted!.id}`, agreed: '5', posted: null }]);
    await pg.db.query('delete from adjustments where id = $1', [unposted!.id]);
  });
});
