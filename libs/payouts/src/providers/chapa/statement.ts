import type { Clock, MonotonicClock } from '@vuka/runtime';
import { z } from 'zod';

import type { StatementEntry, StatementPage } from '../../statement-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { endOf } from './codes.js';
import { attemptIdsIn } from './mapping.js';
import { receiptOf, transferRecord } from './record.js';

/**
 * GET /v1/transfers, "All Transfers" [D]: pages of the transfers as they are now, [U] newest first. It is no list of events, so it is
 * gone through again and again, as far back as a transfer may still change. The cursor is the page to read next.
 */

const FIRST_PAGE = 1;
/** A page is of ten or more [U]. What is further back is left to polls. */
const LAST_PAGE = 500;
const MAX_ROWS = 1_000;
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const REMEMBERED = 50_000;
/** Whoever was told an end may have failed to keep it, so it is told again after this. */
const TOLD_AGAIN_MS = 12 * 3_600_000;

const listed = z.object({
  status: z.literal('success'),
  data: z
    .array(
      transferRecord
        .pick({
          reference: true,
          tx_ref: true,
          status: true,
          bank_reference: true,
          cross_party_reference: true,
          chapa_reference: true,
          chapa_transfer_id: true,
        })
        .extend({ created_at: z.iso.datetime({ offset: true }).nullish().catch(null) }),
    )
    .max(MAX_ROWS),
  meta: z.object({ current_page: z.number(), next_page_url: z.string().nullish() }),
});
type Listed = z.infer<typeof listed>['data'][number];

export interface ListCall {
  (path: string, bounds: { readonly maxAnswerBytes: number }): Promise<ProviderReply>;
}

export class AllTransfers {
  /** What was told, and when, so that an end is no hint at each round. The oldest comes first. */
  readonly #told = new Map<string, number>();

  constructor(
    private readonly call: ListCall,
    private readonly clock: Clock & MonotonicClock,
    /** How far back a transfer may still change. */
    private readonly windowMs: number,
  ) {}

  async read(cursor: string | null): Promise<StatementPage | null> {
    const page = pageOf(cursor);
    const reply = await this.call(`/v1/transfers?page=${page}`, { maxAnswerBytes: MAX_PAGE_BYTES });
    const read = readPage(reply, page, new Date(this.clock.now().getTime() - this.windowMs));
    if (read === null) return null;
    return { ...read, entries: read.entries.filter((entry) => this.isUntold(entry)) };
  }

  private isUntold({ attemptId, event }: StatementEntry): boolean {
    const told = `${attemptId} ${event}`;
    const nowMs = this.clock.monotonicMs();
    if (nowMs - (this.#told.get(told) ?? -Infinity) < TOLD_AGAIN_MS) return false;
    this.#told.delete(told);
    this.#told.set(told, nowMs);
    const [oldest] = this.#told.keys();
    if (this.#told.size > REMEMBERED && oldest !== undefined) this.#told.delete(oldest);
    return true;
  }
}

function pageOf(cursor: string | null): number {
  const page = Number(cursor ?? FIRST_PAGE);
  return Number.isInteger(page) && page >= FIRST_PAGE && page <= LAST_PAGE ? page : FIRST_PAGE;
}

/** null: it is not the page that was asked for, or a row of it cannot be read. Transfers before `since` are not gone through. */
export function readPage(reply: ProviderReply, page: number, since: Date): StatementPage | null {
  if (reply.kind === 'no_answer' || reply.status !== 200) return null;
  const { data: list } = listed.safeParse(reply.body);
  if (list?.meta.current_page !== page) return null;
  const { data: rows, meta } = list;
  const isOld = rows.every(({ created_at }) => typeof created_at === 'string' && new Date(created_at) < since);
  const more = typeof meta.next_page_url === 'string' && !isOld && page < LAST_PAGE;
  return { entries: rows.flatMap(toEntry), next: String(more ? page + 1 : FIRST_PAGE), more };
}

/** Transfers under way give no reason to ask, and other transfers of the account are not ours. */
function toEntry(row: Listed): StatementEntry[] {
  const [attemptId] = attemptIdsIn(row);
  const event = endOf(row.status)?.end;
  if (attemptId === undefined || event === undefined) return [];
  const receipt = receiptOf(row);
  return [{ attemptId, event, receipt: receipt === '' ? null : receipt }];
}
