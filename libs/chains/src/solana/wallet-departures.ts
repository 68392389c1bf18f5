import { MalformedAnswerError, objectAt } from '../reader/json-values.js';
import { someAtOnce } from '../reader/some-at-once.js';

import { countAt, listAt } from './transaction.js';

export interface AsksOfWallet {
  /** Newest first, from a state not older than `reached`. `before` null: from the newest. */
  signatures(before: string | null, limit: number, reached: number): Promise<unknown>;
  /** `itself`: the very transaction; `alike`: same value; `forgotten`: not readable. */
  compare(signature: string): Promise<'itself' | 'alike' | 'other' | 'forgotten'>;
  remembers(sinceMs: number): Promise<boolean>;
}

export interface Departures {
  /** Everything was scanned. */
  readonly isWhole: boolean;
  readonly found: string | null;
  readonly alike: readonly string[];
}

interface Entry {
  readonly signature: string;
  readonly failed: boolean;
  /** null: unknown. */
  readonly timeMs: number | null;
}

const PAGE = 1_000;
const MOST_PAGES = 5;
/** Above this people decide. */
const MOST_READ = 400;
const AT_ONCE = 8;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Scans the wallet's signatures back to `sinceMs`. `reached`: a slot already final. */
export async function departuresSince(wallet: AsksOfWallet, sinceMs: number, reached: number): Promise<Departures> {
  const { entries, isWhole } = await entriesSince(wallet, sinceMs, reached);
  // Failed transactions moved nothing.
  const read = entries.filter(({ failed }) => !failed);
  if (read.length > MOST_READ) return { isWhole: false, found: null, alike: [] };
  const told = await someAtOnce(read, AT_ONCE, async ({ signature }) => ({
    signature,
    what: await wallet.compare(signature),
  }));
  const signaturesOf = (kind: 'itself' | 'alike'): string[] =>
    told.flatMap(({ signature, what }) => (what === kind ? [signature] : []));
  return {
    isWhole: isWhole && !told.some(({ what }) => what === 'forgotten'),
    found: signaturesOf('itself')[0] ?? null,
    alike: signaturesOf('alike'),
  };
}

async function entriesSince(
  wallet: AsksOfWallet,
  sinceMs: number,
  reached: number,
): Promise<{ readonly entries: readonly Entry[]; readonly isWhole: boolean }> {
  const entries: Entry[] = [];
  let before: string | null = null;
  for (let call = 0; call < MOST_PAGES; call += 1) {
    const page: readonly Entry[] = listAt(await wallet.signatures(before, PAGE, reached), 'signatures').map(entryOf);
    const last = page.at(-1);
    // New wallet, or pruned history.
    if (last === undefined) return { entries, isWhole: await wallet.remembers(sinceMs) };
    const end = page.findIndex(({ timeMs }) => timeMs !== null && timeMs < sinceMs);
    entries.push(...(end < 0 ? page : page.slice(0, end)));
    if (end >= 0) return { entries, isWhole: true };
    before = last.signature;
  }
  return { entries, isWhole: false };
}

function entryOf(value: unknown): Entry {
  const { signature, err, blockTime } = objectAt(value, 'signature entry');
  if (typeof signature !== 'string' || !SIGNATURE.test(signature) || err === undefined)
    throw new MalformedAnswerError('signature entry');
  return {
    signature,
    failed: err !== null,
    timeMs: blockTime === null || blockTime === undefined ? null : countAt(blockTime, 'signature entry') * 1_000,
  };
}
