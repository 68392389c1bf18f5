import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StatementEntry } from '@vuka/contracts';
import fc from 'fast-check';

import type { Admin } from '../../admin-client.js';
import { statement } from './statement-answer.js';
import { csvRow, entryRow, plainCell } from './statement-csv.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vuka-csv-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function parseCsv(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const rows: string[][] = [];
  for (let row: string[] = []; cell.lastIndex < text.length;) {
    const [, quoted, bare = '', end] = cell.exec(text) ?? [];
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === '\r\n') [rows[rows.length], row] = [row, []];
  }
  return rows;
}

const entry = (id: number, amount: string, balance: string, code = `order-${String(id)}`): StatementEntry => ({
  id,
  at: `2026-11-0${String(id)}T10:00:00.000Z`,
  kind: 'top_up',
  transaction_code: code,
  amount,
  balance,
});

function adminOf(pages: readonly (readonly StatementEntry[])[], opening: string, closing: string): Admin {
  const money = (amount: string) => ({ amount, currency: 'KES' });
  return {
    gateway: { partner: async () => ({ ok: true, value: { partner_id: 7, name: 'Shoes' } }) },
    payments: {
      statement: async ({ cursor }: { cursor: string | null }) => {
        const place = Number(cursor ?? '0');
        const ends =
          place === 0 ? { opening: money(opening), closing: money(closing) } : { opening: null, closing: null };
        return {
          ok: true,
          value: {
            partner_id: 7,
            currency: 'KES',
            ...ends,
            entries: pages[place] ?? [],
            next_cursor: place + 1 < pages.length ? String(place + 1) : null,
          },
        };
      },
    },
  } as unknown as Admin;
}

const ask = (admin: Admin, out: string | null) =>
  statement(
    {
      name: 'statement',
      partner: 7,
      currency: 'KES',
      from: '2026-11-01T00:00:00.000Z',
      before: '2026-12-01T00:00:00.000Z',
      out,
    },
    admin,
  );

describe('a row', () => {
  it('reads back the same cells, whatever they contain', () => {
    const cells = fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'é') }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(fc.property(cells, (row) => expect(parseCsv(csvRow(row))).toEqual([row])));
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'])('never starts a formula: %j', (code) => {
    expect(plainCell(code)).toBe(`'${code}`);
    expect(parseCsv(entryRow(entry(1, '-5.00', '5.00', code)))).toEqual([
      ['2026-11-01T10:00:00.000Z', 'top_up', `'${code}`, '-5.00', '5.00', '1'],
    ]);
  });
});

describe('a statement', () => {
  const pages = [
    [entry(4, '-30.00', '70.00'), entry(3, '50.00', '100.00')],
    [entry(2, '-50.00', '50.00'), entry(1, '100.00', '100.00')],
  ];

  it('reverses the pages, between the balances of the ledger', async () => {
    const file = join(folder, 'a.csv');
    const answer = await ask(adminOf(pages, '0.00', '70.00'), file);
    expect(answer).toMatchObject({ code: 0, json: { file, opening: '0.00', closing: '70.00', entries: 4 } });
    const rows = parseCsv(readFileSync(file, 'utf8'));
    expect(rows.map(([, what, , amount, balance]) => [what, amount, balance])).toEqual([
      ['what', 'amount', 'balance'],
      ['opening', '', '0.00'],
      ['top_up', '100.00', '100.00'],
      ['top_up', '-50.00', '50.00'],
      ['top_up', '50.00', '100.00'],
      ['top_up', '-30.00', '70.00'],
      ['closing', '', '70.00'],
    ]);
    expect((await ask(adminOf(pages, '0.00', '70.00'), null)).text(undefined as never, new Date())).toBe(
      readFileSync(file, 'utf8').trimEnd(),
    );
  });

  it.each([
    ['the opening', pages, '1.00', '70.00'],
    ['the closing', pages, '0.00', '70.01'],
    ['an entry that is missing', [pages[0]!, [pages[1]![1]!]], '0.00', '70.00'],
  ])('is not written if it does not add up: %s', async (_what, shown, opening, closing) => {
    const answer = await ask(adminOf(shown, opening, closing), join(folder, 'a.csv'));
    expect(answer).toMatchObject({ code: 1, json: { error: { message: expect.stringContaining('do not add up') } } });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('follows the recorded times when two clocks disagreed at the edge of a period, so its closing balance is the next opening balance', async () => {
    // The ledger stores it after an entry of the next period.
    await ask(adminOf([[entry(2, '10.00', '110.00')]], '0.00', '10.00'), join(folder, 'a.csv'));
    const rows = parseCsv(readFileSync(join(folder, 'a.csv'), 'utf8'));
    expect(rows.slice(1).map(([, what, , , balance]) => [what, balance])).toEqual([
      ['opening', '0.00'],
      ['top_up', '10.00'],
      ['closing', '10.00'],
    ]);
  });

  it('never overwrites a file', async () => {
    const file = join(folder, 'a.csv');
    await ask(adminOf([[]], '5.00', '5.00'), file);
    expect(parseCsv(readFileSync(file, 'utf8'))).toHaveLength(3);
    expect(await ask(adminOf(pages, '0.00', '70.00'), file)).toMatchObject({ code: 1 });
    expect(parseCsv(readFileSync(file, 'utf8'))).toHaveLength(3);
  });
});
