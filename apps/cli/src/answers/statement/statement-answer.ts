import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { StatementView } from '@vuka/admin';
import type { StatementEntry } from '@vuka/contracts';
import { currencyDecimals, formatDecimal, parseDecimal } from '@vuka/domain';

import { refusal, type Answer } from '../answer.js';
import type { Admin } from '../../admin-client.js';
import type { StatementCommand } from '../../commands/money-words.js';
import { namedPartner, withPartner } from '../named-partner.js';
import { balanceRow, csvRow, STATEMENT_COLUMNS, TurnedPages, writeNewFile } from './statement-csv.js';
import { plural } from '../../pages/text-values.js';

const PAGE = 500;
/** More entries than this must go into a file. */
const MOST_PRINTED = 50_000;

/** What was read; if the sums do not add up, the answer says where. */
interface Read {
  readonly opening: string;
  readonly closing: string;
  readonly entries: number;
  readonly addsUp: boolean;
}

export async function statement(command: StatementCommand, admin: Admin): Promise<Answer> {
  const { out } = command;
  const file = out === null ? null : resolve(out);
  if (file !== null && existsSync(file))
    return refusal({ code: 'invalid_request', message: `${file} exists already: name another file` });
  return withPartner(command.partner, admin, async (partner) => {
    const folder = mkdtempSync(join(tmpdir(), 'vuka-statement-'));
    const pages = new TurnedPages(join(folder, 'pages'));
    try {
      const read = await readAll({ ...command, partnerId: partner.partner_id }, admin, pages);
      if (!read.ok) return refusal(read.error);
      const { opening, closing, entries, addsUp } = read.value;
      if (!addsUp)
        return refusal({
          code: 'unavailable',
          message:
            'The entries do not add up to the closing balance, so nothing was written. Try again. If it happens again, run ledger',
        });
      const fill = (write: (text: string) => void): void => {
        write(csvRow(STATEMENT_COLUMNS));
        write(balanceRow('opening', command.from, opening));
        pages.writeTo(write);
        write(balanceRow('closing', command.before, closing));
      };
      const facts = {
        partner_id: partner.partner_id,
        currency: command.currency,
        from: command.from,
        before: command.before,
        opening,
        closing,
        entries,
      };
      if (file !== null) {
        writeNewFile(file, fill);
        return {
          code: 0,
          json: { file, ...facts },
          text: (paint) =>
            `${paint.green('✓')} ${plural(entries, 'entry', 'entries')} of ${namedPartner(partner)} from ${opening} to ${closing} ${command.currency} in ${file}.`,
        };
      }
      if (entries > MOST_PRINTED)
        return refusal({
          code: 'invalid_request',
          message: `${String(entries)} entries are too many to print: write them to a file with --out`,
        });
      const lines: string[] = [];
      fill((text) => void lines.push(text));
      return { code: 0, json: facts, text: () => lines.join('').trimEnd() };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined || file === null) throw error;
      return refusal({
        code: 'invalid_request',
        message: `${file} cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
      });
    } finally {
      pages.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

type AllRead =
  { readonly ok: true; readonly value: Read } | { readonly ok: false; readonly error: Parameters<typeof refusal>[0] };

/**
 * Pages come newest first. An entry's balance is the closing balance minus all later entries of the period.
 * So one period's closing is the next one's opening, even if clocks of two processes differ at its edge.
 * Closing minus all entries must give the opening balance.
 */
async function readAll(
  { partnerId, currency, from, before }: StatementCommand & { readonly partnerId: number },
  admin: Admin,
  pages: TurnedPages,
): Promise<AllRead> {
  const minor = (text: string): bigint | null => {
    const parsed = parseDecimal(text.replace(/^-/, ''), currencyDecimals(currency));
    return parsed.ok ? (text.startsWith('-') ? -parsed.value : parsed.value) : null;
  };
  let cursor: string | null = null;
  let first: StatementView | undefined;
  const decimals = currencyDecimals(currency);
  let [entries, due] = [0, null as bigint | null];
  do {
    const page: Awaited<ReturnType<Admin['payments']['statement']>> = await admin.payments.statement({
      partnerId,
      currency,
      from,
      before,
      limit: PAGE,
      cursor,
    });
    if (!page.ok) return page;
    const view: StatementView = page.value;
    if (first === undefined) {
      first = view;
      due = minor(view.closing?.amount ?? '');
    }
    const rows: StatementEntry[] = [];
    for (const entry of view.entries) {
      const amount = minor(entry.amount);
      rows.push(due === null ? entry : { ...entry, balance: formatDecimal(due, decimals) });
      due = due === null || amount === null ? null : due - amount;
    }
    pages.add(rows);
    entries += view.entries.length;
    cursor = view.next_cursor;
  } while (cursor !== null);
  const [opening, closing] = [first.opening?.amount ?? '', first.closing?.amount ?? ''];
  return { ok: true, value: { opening, closing, entries, addsUp: due !== null && due === minor(opening) } };
}
