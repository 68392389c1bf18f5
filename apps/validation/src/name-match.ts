import type { NameMatch } from '@vuka/contracts';

/** UTF-16 units; the rest is ignored. */
const MAX_NAME = 200;

/** Left out inside a word: O'Brien is OBrien. */
const APOSTROPHES = /['’‘‛ʼʻʹˈ`´′＇]/gu;
/** Invisible formatting characters: joiners, soft hyphens. */
const UNSEEN = /\p{Cf}/gu;
const MARKS = /\p{M}/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;

/** Apostrophes go before and after: ´ decomposes to a space, ŉ to an apostrophe. */
function withoutMarks(text: string): string {
  return text.replace(APOSTROPHES, '').normalize('NFKD').replace(MARKS, '').replace(APOSTROPHES, '');
}

/** Locale-free. Upper case first, because only that turns ß into SS; lower case leaves ẞ and the two sigmas. */
function withoutCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
}

/** Folded and sorted: accents, case, punctuation and order do not count. */
function wordsOf(name: string): readonly string[] {
  const plain = withoutMarks(name.slice(0, MAX_NAME).replace(UNSEEN, ''));
  // Changing case can add marks (İ).
  return withoutMarks(withoutCase(plain))
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '')
    .sort();
}

/** An initial fits too many names to match. */
function isFullWord(word: string): boolean {
  return [...word].length > 1;
}

/** A word that a network hides in part (`M******`) fits too many names to match. */
const MASKED_WORD = /\S*\p{L}\*\S*/gu;

/**
 * `resolved` null: nothing to compare. `exact`: the same words in any order, none of them masked. `partial`: at least
 * one full word in common. Initials alone do not match.
 */
export function matchNames(sent: string, resolved: string | null): NameMatch {
  if (resolved === null) return 'none';
  const seen = resolved.replace(MASKED_WORD, ' ');
  const [ours, theirs] = [wordsOf(sent), wordsOf(seen)];
  if (ours.length === 0 || theirs.length === 0) return 'none';
  const isMasked = seen !== resolved;
  if (!isMasked && ours.length === theirs.length && ours.every((word, index) => word === theirs[index])) return 'exact';
  const known = new Set(theirs.filter(isFullWord));
  return ours.some((word) => known.has(word)) ? 'partial' : 'none';
}
