import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readCsv } from './csv.js';
import { StatementLines } from './lines.js';

/** Of version 4, as pawaPay has it, and as our attempt. */
const [ID, OURS] = ['5b0c3f7a-91d2-4e44-8a01-0123456789ab', '5b0c3f7a-91d2-8e44-8a01-0123456789ab'];
const OTHER = '6b0c3f7a-91d2-4e44-8a01-0123456789ab';
const HEADER = 'Creation Date,MSISDN,Transaction ID,Amount,Currency,Country,MMO,Type,Balance';
const line = (id: string, amount: string, type = 'Payout', currency = 'MWK', balance = ''): string =>
  `2026-08-01 08:17:01,265993456789,${id},${amount},${currency},Malawi,AIRTEL_MWI,${type},${balance}`;

async function read(lines: readonly string[], header = HEADER, currency = 'MWK') {
  const gathered = new StatementLines(currency);
  const fault = await readCsv(Buffer.from([header, ...lines].join('\r\n')), (one) => gathered.add(one));
  return { fault, ...gathered.page() };
}
const events = async (...lines: string[]): Promise<unknown[]> =>
  (await read(lines)).entries.map(({ attemptId, event, amount }) => [attemptId, event, amount?.minor]);

describe('a statement of pawaPay', () => {
  it('is read by the names of its columns, in any order', async () => {
    const page = await read([line(ID, '1500.00', 'Payout', 'MWK', '10798.035')]);
    expect(page).toEqual({
      fault: null,
      entries: [
        {
          attemptId: OURS,
          event: 'paid',
          receipt: null,
          amount: { minor: 150_000n, currency: 'MWK' },
          at: new Date('2026-08-01T08:17:01Z'),
          balanceAfter: { minor: 1_079_803n, currency: 'MWK' },
        },
      ],
      movements: [],
      unreadable: 0,
    });
    const other = await read([`PAYOUT;x`, `PAYOUT,"1500",${ID},R1,12.5`], '\uFEFFtype,AMOUNT,Transaction-Id,Financial Transaction ID,Fee'); // prettier-ignore
    expect(other.entries).toEqual([
      {
        attemptId: OURS,
        event: 'paid',
        receipt: 'R1',
        amount: { minor: 150_000n, currency: 'MWK' },
        fee: { minor: 1_250n, currency: 'MWK' },
      },
    ]);
    expect(other.unreadable).toBe(1);
  });

  it('tells all that was paid under one id: a line twice is twice the amount', async () => {
    expect(await events(line(ID, '1500'), line(ID.toUpperCase(), '1500'))).toEqual([[OURS, 'paid', 300_000n]]);
    expect(await events(line(ID, '1500'), line(ID, '500', 'Payout reversal'))).toEqual([[OURS, 'paid', 100_000n]]);
  });

  it('tells of money that came back, by its type or by its sign', async () => {
    for (const [out, back] of [
      [line(ID, '1500'), line(ID, '1500', 'PAYOUT_RETURNED')],
      [line(ID, '-1500'), line(ID, '1500')],
      [line(ID, '-1500'), line(ID, '1500', 'Reversal')],
    ] as const) {
      expect(await events(out, back)).toEqual([[OURS, 'not_paid', undefined]]);
      expect(await events(line(OTHER, out.includes('-') ? '-1' : '1'), back)).toEqual([
        expect.anything(),
        [OURS, 'reversed', undefined],
      ]);
    }
  });

  it('tells fees with their payout, and what else moved by itself', async () => {
    const { entries, movements } = await read([
      line(ID, '-20.25', 'Payout fee'),
      line(ID, '-1500'),
      line(OTHER, '-1.999', 'FEE'),
      line('', '100000', 'Top-up'),
      line('a-deposit', '-7', 'Adjustment'),
    ]);
    expect(entries).toMatchObject([{ attemptId: OURS, fee: { minor: 2_025n }, amount: { minor: 150_000n } }]);
    expect(movements.map(({ kind, amount }) => [kind, amount.minor])).toEqual([
      ['top_up', 10_000_000n],
      ['other', -700n],
      ['fee', 199n],
    ]);
  });

  it.each(['Adjustment', 'Payout refund', 'moon'])(
    'has a payout of ours asked about for a line of a type that nobody knows: %s',
    async (type) => {
      expect(await events(line(ID, '1500', type))).toEqual([[OURS, 'reversed', undefined]]);
      expect(await events(line(ID, '-1500'), line(ID, '1500', type))).toEqual([[OURS, 'not_paid', undefined]]);
    },
  );

  it('keeps ids that are not ours: payments of nobody', async () => {
    expect(await events(line('batch 7', '5'))).toEqual([['batch 7', 'paid', 500n]]);
  });

  it.each([
    ['an amount that is none', line(ID, '1,5e3')],
    ['no amount', line(ID, '')],
    ['more decimals than the currency', line(ID, '1.001')],
    ['another currency', line(ID, '5', 'Payout', 'USD')],
    ['a payout without an id', line('', '5')],
    ['a line that ends early', '2026-08-01 08:17:01,265993456789'],
  ])('counts what it cannot read: %s', async (_, broken) => {
    expect(await read([broken, line(OTHER, '1')])).toMatchObject({ fault: null, unreadable: 1, entries: [{}] });
  });

  it('carries no cents where the currency has none', async () => {
    const { entries } = await read([line(ID, '5000.00', 'Payout', 'UGX', '1.5')], HEADER, 'UGX');
    expect(entries).toMatchObject([{ amount: { minor: 5_000n }, balanceAfter: { minor: 1n } }]);
  });

  it.each([
    ['is empty', ''],
    ['is a page of the web', '<html><body>moved</body></html>'],
    ['has no amounts', 'Transaction ID,Type'],
  ])('that %s is none', async (_, text) => {
    expect(await readCsv(Buffer.from(text), () => undefined)).toEqual(expect.any(String));
  });

  it('with an open quote, or a line without an end, is none', async () => {
    expect((await read([`"${line(ID, '1')}`])).fault).toBe('a statement that is no CSV');
    expect((await read(['x'.repeat(20_000)])).fault).toBe('a statement that is no CSV');
  });

  it('never throws, and reads each line or counts it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: fc.string(), amount: fc.string(), type: fc.string(), currency: fc.string() })),
        async (rows) => {
          const gathered = new StatementLines('MWK');
          for (const row of rows) gathered.add({ ...row, at: row.id, fee: row.amount, balance: row.type, receipt: '' });
          const { entries, movements, unreadable } = gathered.page();
          expect(entries.length + movements.length + unreadable).toBeLessThanOrEqual(rows.length);
        },
      ),
    );
  });

  it('of many lines is read without holding others up for long', async () => {
    const rows = Array.from({ length: 60_000 }, (_, n) => line(`${String(n).padStart(8, '0')}${ID.slice(8)}`, '1'));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const { entries } = await read(rows);
    clearInterval(timer);
    expect(entries).toHaveLength(60_000);
    expect(turns).toBeGreaterThan(5);
  });
});
