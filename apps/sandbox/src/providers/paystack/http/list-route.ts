import type { FastifyReply } from 'fastify';

import { REFUSALS } from '../behaviour/refusals.js';
import { refuse, success } from './answers.js';
import type { Context } from './context.js';
import { recordView } from './views.js';

export type Query = Readonly<Record<string, string | undefined>>;

const PER_PAGE = 50;
const MOST_PER_PAGE = 100;

/** GET /transfer: newest first, by page, made within a time. */
export async function listTransfers(context: Context, query: Query, reply: FastifyReply): Promise<unknown> {
  const [from, to] = [timeOf(query['from'], -Infinity), timeOf(query['to'], Infinity)];
  if (from === null) return refuse(reply, REFUSALS.from_date);
  if (to === null) return refuse(reply, REFUSALS.to_date);
  const page = pageOf(query);
  if (page === null) return refuse(reply, REFUSALS.invalid_params);
  const { clock, book } = context;
  const found = book
    .all()
    .filter((transfer) => {
      const { atMs } = transfer.accepted;
      const isHidden = clock.nowMs - atMs < (transfer.behaviour.record?.hiddenMs ?? 0);
      const { status } = query;
      return atMs >= from && atMs <= to && !isHidden && (status === undefined || status === transfer.status);
    })
    .reverse();
  const { skipped, perPage } = page;
  const shown = found.slice(skipped, skipped + perPage).map((transfer) => recordView(context, transfer));
  await book.safe();
  const meta = { total: found.length, ...page, pageCount: Math.ceil(found.length / perPage) };
  return success('Transfers retrieved', shown, meta);
}

/** null: it is no date. */
function timeOf(text: string | undefined, otherwise: number): number | null {
  if (text === undefined) return otherwise;
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)) return null;
  const ms = Date.parse(text.includes('T') && !/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : ms;
}

/** Pages from 1; null: no such page. */
export function pageOf(query: Query): { skipped: number; perPage: number; page: number } | null {
  const [page, perPage] = [Number(query['page'] ?? 1), Number(query['perPage'] ?? PER_PAGE)];
  if (![page, perPage].every((n) => Number.isSafeInteger(n) && n > 0) || perPage > MOST_PER_PAGE) return null;
  return { skipped: (page - 1) * perPage, perPage, page };
}
