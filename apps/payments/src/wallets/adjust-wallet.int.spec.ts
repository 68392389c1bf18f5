import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import { CommitOutcomeUnknownError, type Database } from '@vuka/persistence';

import { AdjustHarness, codeOf, NOON, WHY } from '../testing/adjust-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { AMOUNT, FEE, FUNDS, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { MOST_PROPOSED_MINOR } from '../controls/index.js';

let pg: PaymentsDatabase;
let people: AdjustHarness;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
beforeEach(() => {
  people = new AdjustHarness(pg);
});
afterAll(() => pg.stopWhole());

describe('money that people give to a wallet', () => {
  it('creates the wallet after a second person approved it, and appears in the statement and the record', async () => {
    const id = await people.proposed('1500.50');
    expect([
      await people.wallet(),
      (await people.admin().adjustments({ open: true, limit: 500 })).filter(
        ({ partner_id }) => partner_id === people.partner,
      ),
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
    expect(await people.approve(id, '  brian   mwangi ')).toMatchObject({
      ok: true,
      value: { approvedBy: 'brian mwangi', approvedAt: NOON },
    });
    expect(await people.wallet()).toBe(1500_50n);
    expect((await people.whole()).entries).toMatchObject([
      { kind: 'top_up', transaction_code: '', amount: '1500.50', balance: '1500.50' },
    ]);
    expect(await people.acts()).toEqual([
      ['adjustment.proposed', 'Amina Otieno', null],
      ['adjustment.approved', 'Amina Otieno', 'brian mwangi'],
    ]);
    expect(await people.admin().adjustments({ partnerId: people.partner, open: true, limit: 10 })).toEqual([]);
    expect(await people.admin().wallets(people.partner)).toMatchObject([
      { currency: 'KES', balance: { amount: '1500.50' }, held: { amount: '0.00' }, owed: { amount: '0.00' } },
    ]);
  });

  it.each(['Amina Otieno', ' AMINA  otieno', 'amina\u00a0otieno', 'Ａｍｉｎａ Otieno', 'Amina\u200b Otieno'])(
    'is not approved by who proposed it, written %j',
    async (by) => {
      const id = await people.proposed('10.00');
      expect(codeOf(await people.approve(id, by))).toBe('forbidden');
      expect([await people.wallet(), (await people.admin().adjustment(id))?.state]).toEqual([null, 'proposed']);
    },
  );

  it('is posted once, also with concurrent approvals in several processes; a repeat by the approver gets the same answer', async () => {
    const id = await people.proposed('10.00');
    const processes = [people.adjusting, people.on(await pg.connect()), people.on(await pg.connect())];
    const answers = await Promise.all(
      ['Brian', 'Chep', 'Dora', 'brian '].map((by, n) => people.approve(id, by, processes[n % 3])),
    );
    const winner = (await people.admin().adjustment(id))?.approved_by ?? '';
    expect([await people.wallet(), answers.filter((answer) => answer.ok).length]).toEqual([
      10_00n,
      winner.toLowerCase() === 'brian' ? 2 : 1,
    ]);
    expect(answers.filter((answer) => !answer.ok).map(codeOf)).toEqual(expect.arrayContaining(['invalid_request']));
    expect(await people.approve(id, winner.toUpperCase())).toMatchObject({ ok: true, value: { approvedBy: winner } });
    expect([await people.wallet(), (await people.acts()).length]).toEqual([10_00n, 2]);
  });

  it('pays the debt of the partner first', async () => {
    await people.fund('5.00');
    await pg.db.query(
      `insert into accounts (name, kind, partner_id, asset, balance_minor, created_at) values ($1, 'receivable', $2, 'KES', 0, now())`,
      [`receivable:${people.partner}:KES`, people.partner],
    );
    const harness = new Harness(pg, undefined);
    harness.partner = people.partner;
    await harness.writer.commit(
      {
        commitId: '01939d2e-0000-7000-8000-000000000001',
        transactionId: null,
        expectedSequence: 0,
        transitions: [],
        outbox: [],
        postings: [
          {
            reference: `chain-difference:${people.partner}`,
            kind: 'chain_difference',
            legs: [{ from: `receivable:${people.partner}:KES`, to: 'fx:KES', amount: money(30_00n, 'KES') }],
          },
        ],
      },
      'background',
    );
    await people.fund('100.00');
    await harness.collect();
    expect([await people.wallet(), await harness.debt()]).toEqual([75_00n, 0n]);
    expect((await people.whole()).entries.map(({ kind }) => kind)).toEqual(['collected', 'top_up', 'top_up']);
  });

  it.each([
    ['0', 'amount_out_of_range'],
    ['-5', 'invalid_request'],
    ['1.001', 'invalid_request'],
    ['1e3', 'invalid_request'],
    ['', 'invalid_request'],
    [(MOST_PROPOSED_MINOR / 100n + 1n).toString(), 'amount_out_of_range'],
    ['9'.repeat(50), 'invalid_request'],
  ])('refuses the amount %j', async (amount, code) => {
    expect(
      codeOf(
        await people.adjusting.propose({
          partnerId: people.partner,
          currency: 'KES',
          direction: 'fund',
          amount,
          reason: WHY,
          by: 'Amina',
        }),
      ),
    ).toBe(code);
  });

  it('needs a known currency, a name and a reason', async () => {
    const sound = {
      partnerId: people.partner,
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
      expect(codeOf(await people.adjusting.propose({ ...sound, ...more }))).toBe(code);
    }
    const id = await people.proposed('1');
    expect(codeOf(await people.adjusting.approve({ adjustmentId: id, by: 'Brian', reason: '' }))).toBe(
      'invalid_request',
    );
    expect([
      codeOf(await people.approve(987_654_321)),
      codeOf(await people.adjusting.withdraw({ adjustmentId: 987_654_321, by: 'B', reason: 'x' })),
    ]).toEqual(['not_found', 'not_found']);
  });

  it('can be withdrawn by anybody while it is open, and then neither approved nor withdrawn again', async () => {
    const [first, second] = [await people.proposed('10.00'), await people.proposed('20.00')];
    expect(
      codeOf(
        await people.adjusting.withdraw({ adjustmentId: first, reason: 'the slip is another partner’s', by: 'Brian' }),
      ),
    ).toBe('ok');
    expect([
      codeOf(await people.approve(first)),
      codeOf(await people.approve(second)),
      codeOf(await people.adjusting.withdraw({ adjustmentId: second, reason: 'late', by: 'Brian' })),
    ]).toEqual(['invalid_request', 'ok', 'invalid_request']);
    expect([await people.wallet(), (await people.admin().adjustment(first))?.withdrawn_why]).toEqual([
      20_00n,
      'the slip is another partner’s',
    ]);
  });
});

describe('money that people take from a wallet', () => {
  it('never exceeds the balance: the proposal stays open, and can be approved when there is enough', async () => {
    expect(
      codeOf(
        await people.adjusting.propose({
          partnerId: people.partner,
          currency: 'KES',
          direction: 'debit',
          amount: '1',
          reason: WHY,
          by: 'Amina',
        }),
      ),
    ).toBe('not_found');
    await people.fund('100.00');
    const id = await people.proposed('100.01', 'debit');
    expect(codeOf(await people.approve(id))).toBe('insufficient_balance');
    expect([await people.wallet(), (await people.admin().adjustment(id))?.state]).toEqual([100_00n, 'proposed']);
    await people.fund('0.01');
    expect([codeOf(await people.approve(id)), await people.wallet()]).toEqual(['ok', 0n]);
    expect((await people.whole()).entries[0]).toMatchObject({ kind: 'debit', amount: '-100.01', balance: '0.00' });
  });

  it('never exceeds the balance together with concurrent payouts', async () => {
    const harness = await new Harness(pg, new ScriptedProvider([])).accepted();
    people.partner = harness.partner;
    const ids = await Promise.all(Array.from({ length: 6 }, () => people.proposed('150.00', 'debit')));
    const others = [people.adjusting, people.on(await pg.connect())];
    const [debits, payouts] = await Promise.all([
      Promise.all(ids.map((id, n) => people.approve(id, 'Brian', others[n % 2]))),
      Promise.all(
        Array.from({ length: 3 }, () =>
          new Harness(pg, undefined).acceptedFor(people.partner).then(
            () => true,
            () => false,
          ),
        ),
      ),
    ]);
    const taken =
      BigInt(debits.filter((debit) => debit.ok).length) * 150_00n +
      BigInt(payouts.filter((isTaken) => isTaken).length) * (AMOUNT + FEE);
    expect(await people.wallet()).toBe(FUNDS - AMOUNT - FEE - taken);
    expect(taken).toBeLessThanOrEqual(FUNDS - AMOUNT - FEE);
    expect(debits.filter((debit) => !debit.ok).map(codeOf)).toEqual(
      debits.filter((debit) => !debit.ok).map(() => 'insufficient_balance'),
    );
    expect((await people.admin().adjustments({ partnerId: people.partner, open: true, limit: 10 })).length).toBe(
      debits.filter((debit) => !debit.ok).length,
    );
  });
});

describe('an approval that is cut off', () => {
  it('before it is recorded leaves nothing: neither money nor an approval', async () => {
    const id = await people.proposed('10.00');
    const cut: Pick<Database, 'query' | 'inTransaction'> = {
      query: (...statement) => pg.db.query(...statement),
      inTransaction: (work) =>
        pg.db.inTransaction((tx) =>
          work({
            ...tx,
            query: (sql, ...rest) =>
              sql.includes('insert into audit_entries') ? Promise.reject(new Error('killed')) : tx.query(sql, ...rest),
          }),
        ),
    };
    await expect(people.approve(id, 'Brian', people.on(cut as Database))).rejects.toThrow('killed');
    expect([await people.wallet(), (await people.admin().adjustment(id))?.state, (await people.acts()).length]).toEqual(
      [0n, 'proposed', 1],
    );
    expect([codeOf(await people.approve(id)), await people.wallet()]).toEqual(['ok', 10_00n]);
  });

  it('after its commit is there when it is asked for again', async () => {
    const id = await people.proposed('10.00');
    const lost = {
      query: pg.db.query.bind(pg.db),
      inTransaction: async <T>(work: Parameters<Database['inTransaction']>[0]): Promise<T> => {
        await pg.db.inTransaction(work);
        throw new CommitOutcomeUnknownError(new Error('the answer is lost'));
      },
    } as unknown as Database;
    await expect(people.approve(id, 'Brian', people.on(lost))).rejects.toThrow(CommitOutcomeUnknownError);
    expect(await people.approve(id, 'Brian')).toMatchObject({ ok: true, value: { approvedBy: 'Brian' } });
    expect([await people.wallet(), (await people.acts()).length]).toEqual([10_00n, 2]);
  });
});
