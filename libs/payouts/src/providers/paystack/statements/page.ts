import { z } from 'zod';

import type { ProviderReply } from '../../../provider-http.js';
import type { StatementEntry } from '../../../statement-provider.js';
import { endOf } from '../codes.js';
import { receiptOf, transferRecord } from '../mapping.js';
import { attemptIdsOf } from '../reference.js';

/** [U] the most that is taken; 50 where it is not given [D]. */
export const PER_PAGE = 100;

/** Samples have numbers, and some of them as text. */
const count = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,9}$/).transform(Number)]); // prettier-ignore
const listed = z.object({
  status: z.literal(true),
  data: z.array(z.unknown()).max(PER_PAGE),
  meta: z.object({ page: count, pageCount: count }),
});
const row = transferRecord.pick({
  reference: true,
  status: true,
  amount: true,
  currency: true,
  transfer_code: true,
  fee_charged: true,
});

export interface ReadPage {
  readonly entries: readonly StatementEntry[];
  readonly unreadable: number;
  readonly isLast: boolean;
}

/** null: it is not the page that was asked for. */
export function readPage(reply: ProviderReply, page: number): ReadPage | null {
  if (reply.kind === 'no_answer' || reply.status !== 200) return null;
  const { data: list } = listed.safeParse(reply.body);
  if (list?.meta.page !== page) return null;
  const rows = list.data.map(readRow);
  return {
    entries: rows.filter((one) => one !== null && one !== 'unreadable'),
    unreadable: rows.filter((one) => one === 'unreadable').length,
    // A full page may have another one, whatever is told of their number.
    isLast: rows.length === 0 || (page >= list.meta.pageCount && rows.length < PER_PAGE),
  };
}

/** null: under way, or a transfer of the account that is not ours. */
function readRow(one: unknown): StatementEntry | null | 'unreadable' {
  const { data: named } = z.object({ reference: z.string().nullish() }).safeParse(one);
  if (named === undefined) return 'unreadable';
  const [attemptId] = attemptIdsOf(named.reference ?? '');
  if (attemptId === undefined) return null;
  const { data: record } = row.safeParse(one);
  if (record === undefined) return 'unreadable';
  const event = endOf(record.status);
  if (event === undefined) return null;
  const { currency, amount, fee_charged: fee } = record;
  const receipt = receiptOf(record);
  return {
    attemptId,
    event,
    receipt: receipt === '' ? null : receipt,
    ...(event === 'paid' && { amount: { minor: BigInt(amount), currency } }),
    ...(event === 'paid' && typeof fee === 'number' && { fee: { minor: BigInt(fee), currency } }),
  };
}
