import type { Clock } from '@vuka/runtime';
import { z } from 'zod';

import type { ProviderReply } from '../../../provider-http.js';
import type { StatementEntry, StatementPage } from '../../../statement-provider.js';
import { PER_PAGE, readPage } from './page.js';

/**
 * GET /transfer [D]: pages of the transfers that were made between two times, as they are now. It is read in parts of that time, each of
 * which begins before the end of the last one. What becomes of a transfer later is left to callbacks and polls.
 */

const HOUR_MS = 3_600_000;
/** A part begins so long before the end of the last one: for ends, and for transfers that are listed late. */
const OVERLAP_MS = HOUR_MS;
const PART_MS = 2 * HOUR_MS;
/** A part that ends before that is followed by the next one at once. */
const CAUGHT_UP_MS = 5 * 60_000;
/** Of one part. */
const LAST_PAGE = 1_000;
const MAX_PAGE_BYTES = 1024 * 1024;
const REMEMBERED = 50_000;

/** Times in milliseconds since 1970. `toMs` null: the part is not begun. */
const place = z.strictObject({
  fromMs: z.int().nonnegative().max(8e15),
  toMs: z.int().nonnegative().max(8e15).nullable(),
  page: z.int().min(1).max(LAST_PAGE),
});
type Place = Readonly<z.output<typeof place>>;

export interface ListCall {
  (path: string, bounds: { readonly maxAnswerBytes: number }): Promise<ProviderReply>;
}

export class TransferList {
  /** So that an end is a hint once, although parts overlap. */
  readonly #told = new Set<string>();
  /** What the last page told. It is told again unless its `next` was kept, as its hints may have been lost. */
  #last: { readonly next: string; readonly told: readonly string[] } = { next: '', told: [] };

  constructor(
    private readonly call: ListCall,
    private readonly clock: Clock,
    /** How far back it begins. */
    private readonly windowMs: number,
  ) {}

  async read(cursor: string | null): Promise<StatementPage | null> {
    if (cursor === this.#last.next) this.remember(this.#last.told);
    const nowMs = this.clock.now().getTime();
    const { fromMs, toMs, page } = placeIn(cursor, nowMs) ?? { fromMs: nowMs - this.windowMs, toMs: null, page: 1 };
    const part = { fromMs, toMs: toMs ?? Math.min(fromMs + PART_MS, nowMs), page };
    const read = readPage(await this.call(pathOf(part), { maxAnswerBytes: MAX_PAGE_BYTES }), page);
    if (read === null) return null;
    const { entries, unreadable, isLast } = read;
    const isCut = !isLast && page === LAST_PAGE;
    const goesOn = !isLast && !isCut;
    const next = JSON.stringify(
      goesOn ? { ...part, page: page + 1 } : { fromMs: part.toMs - OVERLAP_MS, toMs: null, page: 1 },
    );
    const untold = entries.filter((entry) => !this.#told.has(keyOf(entry)));
    this.#last = { next, told: untold.map(keyOf) };
    return {
      entries: untold,
      unreadable,
      ...(isCut && { trouble: `more than ${LAST_PAGE} pages of transfers in one part` }),
      next,
      more: goesOn || part.toMs < nowMs - CAUGHT_UP_MS,
    };
  }

  private remember(told: readonly string[]): void {
    for (const key of told) this.#told.add(key);
    for (const oldest of this.#told) {
      if (this.#told.size <= REMEMBERED) return;
      this.#told.delete(oldest);
    }
  }
}

/** null: it is no cursor of ours. A clock that was set back never leaves a time out. */
function placeIn(cursor: string | null, nowMs: number): Place | null {
  try {
    const { data } = place.safeParse(JSON.parse(cursor ?? ''));
    return data === undefined ? null : { ...data, fromMs: Math.min(data.fromMs, nowMs - OVERLAP_MS) };
  } catch {
    return null;
  }
}

function pathOf({ fromMs, toMs, page }: { readonly [name in keyof Place]: number }): string {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  return `/transfer?perPage=${PER_PAGE}&page=${page}&from=${from}&to=${to}`;
}

function keyOf({ attemptId, event }: StatementEntry): string {
  return `${attemptId} ${event}`;
}
