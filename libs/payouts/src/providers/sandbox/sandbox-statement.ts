import { z } from 'zod';

import type { StatementEntry, StatementPage } from '../../statement-provider.js';
import type { ProviderHttp, ProviderReply } from '../../provider-http.js';
import { MAX_TEXT, providerText } from '../../provider-text.js';

/** The cursor is the number of the last line read. */

const PAGE = 1_000;
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const BEGINNING = '0';

const wholeNumber = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

const bookPage = z.object({
  entries: z.array(
    z.object({ sequence: wholeNumber, id: z.string(), status: z.string(), receipt: z.string().optional() }),
  ),
  next_after: wholeNumber,
  more: z.boolean(),
});

/** Other lines give no reason to query. */
const EVENTS: Readonly<Record<string, StatementEntry['event']>> = {
  PAID: 'paid',
  FAILED: 'not_paid',
  REVERSED: 'reversed',
};

export async function readStatement(http: ProviderHttp, cursor: string | null): Promise<StatementPage | null> {
  const after = cursor ?? BEGINNING;
  const path = `/v1/book?after=${encodeURIComponent(after)}&limit=${PAGE}`;
  return readPage(await http.call('GET', path, { maxAnswerBytes: MAX_PAGE_BYTES }), after);
}

/** null: lines are missing, repeated or out of order, or there is more but no progress. */
export function readPage(reply: ProviderReply, cursor: string): StatementPage | null {
  if (reply.kind === 'no_answer' || reply.status !== 200) return null;
  const parsed = bookPage.safeParse(reply.body);
  if (!parsed.success) return null;
  const { entries, next_after, more } = parsed.data;
  const after = Number(cursor);
  if (entries.some(({ sequence }, index) => sequence !== after + index + 1)) return null;
  if (next_after !== after + entries.length || (more && entries.length === 0)) return null;
  return { entries: entries.flatMap(toEntry), next: String(next_after), more };
}

function toEntry({ id, status, receipt }: z.infer<typeof bookPage>['entries'][number]): StatementEntry[] {
  const event = Object.hasOwn(EVENTS, status) ? EVENTS[status] : undefined;
  if (event === undefined) return [];
  const clean = providerText(receipt ?? '', MAX_TEXT.receipt);
  return [{ attemptId: id, event, receipt: clean === '' ? null : clean }];
}
