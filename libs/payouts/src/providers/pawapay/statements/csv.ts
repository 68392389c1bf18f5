import { Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';

import { parse } from 'csv-parse';

/**
 * The columns of a statement that we read, by names without case, spaces and signs. [D] dashboard/finances/statements names Creation
 * Date, Transaction ID, Amount, Currency and Type; all other names are [U].
 */
const COLUMNS = {
  at: ['creationdate', 'created', 'date'],
  id: ['transactionid', 'payoutid'],
  type: ['type', 'transactiontype', 'operationtype'],
  amount: ['amount'],
  currency: ['currency'],
  fee: ['fee', 'fees'],
  balance: ['balance', 'balanceafter', 'walletbalance', 'closingbalance', 'runningbalance'],
  receipt: ['financialtransactionid', 'providertransactionid', 'mmotransactionid'],
} as const;
type Column = keyof typeof COLUMNS;
const NEEDED: readonly Column[] = ['id', 'type', 'amount'];

/** As written; '' where there is no such column. */
export type StatementLine = Readonly<Record<Column, string>>;

const LONGEST_LINE = 16_384;
const CHUNK = 64 * 1024;
/** Lines that are read at one go, before others have their turn. */
const AT_ONE_GO = 2_000;

/** Why it is no statement, or null after the last line. Broken lines come as lines whose members are missing. */
export async function readCsv(bytes: Buffer, take: (line: StatementLine) => void): Promise<string | null> {
  let places: ReadonlyMap<Column, number> | null = null;
  let lines = 0;
  const parser = Readable.from(chunksOf(bytes)).pipe(
    parse({ bom: true, trim: true, relax_column_count: true, skip_empty_lines: true, max_record_size: LONGEST_LINE }),
  );
  try {
    for await (const fields of parser as AsyncIterable<string[]>) {
      if (places === null) {
        places = placesIn(fields);
        const missing = NEEDED.find((column) => !places?.has(column));
        if (missing !== undefined) return `a statement without a column for ${missing}`;
      } else take(lineOf(fields, places));
      if (++lines % AT_ONE_GO === 0) await breathe();
    }
  } catch {
    return 'a statement that is no CSV';
  }
  return places === null ? 'an empty statement without a header' : null;
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

function placesIn(header: readonly string[]): Map<Column, number> {
  const names = header.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  const places = new Map<Column, number>();
  for (const [column, known] of Object.entries(COLUMNS) as [Column, readonly string[]][]) {
    const place = names.findIndex((name) => known.includes(name));
    if (place !== -1) places.set(column, place);
  }
  return places;
}

function lineOf(fields: readonly string[], places: ReadonlyMap<Column, number>): StatementLine {
  const member = (column: Column): string => fields[places.get(column) ?? -1] ?? '';
  return {
    at: member('at'),
    id: member('id'),
    type: member('type'),
    amount: member('amount'),
    currency: member('currency'),
    fee: member('fee'),
    balance: member('balance'),
    receipt: member('receipt'),
  };
}
