import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { checkLedger } from '../ledger/check-ledger.js';
import { AdjustHarness, codeOf, EVER, NOON } from '../testing/adjust-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { dice } from '../testing/payout-chaos.spec-support.js';
import { Harness } from '../testing/payout-harness.spec-support.js';

let pg: PaymentsDatabase;
let people: AdjustHarness;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
beforeEach(() => {
  people = new AdjustHarness(pg);
});
afterAll(() => pg.stopWhole());

describe('a statement for people', () => {
  const minor = (text: string): bigint => BigInt(text.replace('.', ''));

  it.each([1, 2, 3])(
    'runs from its opening to its closing balance, which are what the ledger’s entries add up to (%i)',
    async (seed) => {
      const random = dice(seed * 7_919);
      await people.fund('500.00');
      for (let step = 0; step < 24; step++) {
        people.clock.advance(Math.floor(random() * 6 * 3_600_000));
        const amount = (random() * 200 + 0.01).toFixed(2);
        await people.approve(await people.proposed(amount, random() < 0.5 ? 'fund' : 'debit'), 'Brian');
        const harness = new Harness(pg, undefined);
        harness.clock.set(people.clock.now());
        if (random() < 0.3) await harness.acceptedFor(people.partner).catch(() => undefined);
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
        const pages = [await people.whole({ ...period, limit: 5 })];
        for (let last = pages[0]!; last.next_cursor !== null; pages.push(last))
          last = await people.whole({ ...period, limit: 5, cursor: last.next_cursor });
        const [first] = pages;
        let running = minor(first!.opening!.amount);
        for (const { amount, balance } of pages.flatMap(({ entries }) => entries).reverse()) {
          running += minor(amount);
          expect(minor(balance)).toBe(running);
        }
        const [ledger] = await pg.db.query<{ closing: string }>(
          `select coalesce(sum(case when e.to_account = a.id then e.amount_minor else -e.amount_minor end), 0)::text as closing
           from accounts a join entries e on a.id in (e.from_account, e.to_account) where a.name = $1 and e.at < $2`,
          [`wallet:${people.partner}:KES`, period.before],
        );
        expect([running, minor(first!.closing!.amount)]).toEqual([BigInt(ledger!.closing), BigInt(ledger!.closing)]);
        expect(pages.slice(1).map(({ opening, closing }) => [opening, closing])).toEqual(
          pages.slice(1).map(() => [null, null]),
        );
      }
    },
  );

  it('is refused for a wallet whose entries differ from its stored balance', async () => {
    await people.fund('10.00');
    await pg.admin.query('update accounts set balance_minor = balance_minor + 1 where name = $1', [
      `wallet:${people.partner}:KES`,
    ]);
    await expect(people.whole()).rejects.toThrow('ledger:check');
    expect((await checkLedger(pg.db)).ok).toBe(false);
    await pg.admin.query('update accounts set balance_minor = balance_minor - 1 where name = $1', [
      `wallet:${people.partner}:KES`,
    ]);
  });

  it('does not exist for an unknown wallet', async () => {
    expect(
      codeOf(
        await people.admin().statement({ partnerId: people.partner, currency: 'KES', ...EVER, limit: 5, cursor: null }),
      ),
    ).toBe('not_found');
  });
});

describe('the record of what people did', () => {
  it('is added to and never changed', async () => {
    await people.fund('10.00');
    for (const sql of [
      "update audit_entries set by_whom = 'nobody'",
      'delete from audit_entries',
      'truncate audit_entries',
    ]) {
      await expect(pg.admin.query(sql)).rejects.toThrow('audit entries are a record');
    }
    expect((await people.acts()).length).toBe(2);
  });

  it('shows adjustments only with two people, by the check of the ledger', async () => {
    const broken = async (): Promise<unknown> =>
      (await checkLedger(pg.db)).checks.find(({ rule }) => rule.startsWith('each approved adjustment'))?.broken;
    const id = await people.proposed('10.00');
    await people.approve(id);
    expect(await broken()).toEqual([]);
    await pg.db.query('update adjustments set amount_minor = amount_minor + 1 where id = $1', [id]);
    expect(await broken()).toEqual([{ reference: `wallet-topped-up:${id}`, agreed: '1001', posted: '1000' }]);
    await pg.db.query('update adjustments set amount_minor = amount_minor - 1 where id = $1', [id]);
    const [unposted] = await pg.db.query<{ id: string }>(
      `insert into adjustments (partner_id, currency, direction, amount_minor, reason, proposed_by, proposed_at, approved_by, approved_at) values ($1, 'KES', 'fund', 5, 'x', 'a', now(), 'b', now()) returning id::text as id`,
      [people.partner],
    );
    expect(await broken()).toEqual([{ reference: `wallet-topped-up:${unposted!.id}`, agreed: '5', posted: null }]);
    await pg.db.query('delete from adjustments where id = $1', [unposted!.id]);
  });
});
