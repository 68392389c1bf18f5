import { z } from 'zod';

/** Seconds since 1970. */
const time = z.int().nonnegative();
const wallet = z.string().max(60);

/** A wallet is `<wallet> <currency>`, as in its ledger account. */
const cursor = z.strictObject({
  /** Each wallet's statement is read up to this time. */
  read: z.record(wallet, time),
  /** Wallets whose last statement could not be had: when, and how often in a row. */
  failed: z.record(wallet, z.strictObject({ at: time, times: z.int().positive() })),
  /** The statement that pawaPay is making; one at a time. */
  asked: z.strictObject({ wallet, to: time, id: z.string().max(100), at: time }).nullable(),
});
/** Bounded by the wallets that we pay from: some 2 KiB. */
export type StatementCursor = Readonly<z.output<typeof cursor>>;

const BEGINNING: StatementCursor = { read: {}, failed: {}, asked: null };

/** What is no cursor of ours is the beginning: lines are read again, and none is lost that is not too old to matter. */
export function readCursor(text: string | null): StatementCursor {
  if (text === null) return BEGINNING;
  try {
    return cursor.safeParse(JSON.parse(text)).data ?? BEGINNING;
  } catch {
    return BEGINNING;
  }
}

export function writeCursor(value: StatementCursor): string {
  return JSON.stringify(value);
}

/** What was asked has been read. */
export function afterReading({ read, failed, asked }: StatementCursor): StatementCursor {
  if (asked === null) return { read, failed, asked };
  const left = Object.fromEntries(Object.entries(failed).filter(([name]) => name !== asked.wallet));
  return { read: { ...read, [asked.wallet]: asked.to }, failed: left, asked: null };
}

/** A statement of this wallet cannot be had: it is asked for again later, and the others' meanwhile. */
export function afterFailure({ read, failed }: StatementCursor, name: string, at: number): StatementCursor {
  return { read, failed: { ...failed, [name]: { at, times: (failed[name]?.times ?? 0) + 1 } }, asked: null };
}
