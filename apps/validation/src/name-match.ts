import type { NameMatch } from '@vuka/contracts';

/** Longest name that is compared, in UTF-16 units; what is beyond is not looked at. */
const MAX_NAME = 200;

/** Written inside a word and left out: O'Brien is OBrien. */
const APOSTROPHES = /['’‘‛ʼʻʹˈ`´′＇]/gu;
/** Formatting characters such as joiners and soft hyphens: nobody sees them. */
const UNSEEN = /\p{Cf}/gu;
const MARKS = /\p{M}/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;

/** Decomposed, without accents, other marks and apostrophes. These go before and after: ´ decomposes to a space, ŉ to one of them. */
function withoutMarks(text: string): string {
  return text.replace(APOSTROPHES, '').normalize('NFKD').replace(MARKS, '').replace(APOSTROPHES, '');
}

/**
 * One spelling for all letter cases, in no language's own way (no Turkish i): up first, because ß becomes SS only there,
 * then down, which leaves the capital ẞ and the two small sigmas.
 */
function withoutCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
}

/** The words of a name, folded and in one order: accents, letter case, punctuation and the order they were written in are gone. */
function wordsOf(name: string): readonly string[] {
  const plain = withoutMarks(name.slice(0, MAX_NAME).replace(UNSEEN, ''));
  // Changing the case can bring marks back (İ).
  return withoutMarks(withoutCase(plain))
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '')
    .sort();
}

/** One letter is an initial: it stands for too many names to be one. */
function isFullWord(word: string): boolean {
  return [...word].length > 1;
}

/**
 * How a name that was sent compares with the resolved one (null: there is none to compare with). `exact`: the same words, each as
 * often, in whatever order; `partial`: at least one full word in common; else `none`. Initials alone make no match.
 */
export function matchNames(sent: string, resolved: string | null): NameMatch {
  if (resolved === null) return 'none';
  const [ours, theirs] = [wordsOf(sent), wordsOf(resolved)];
  if (ours.length === 0 || theirs.length === 0) return 'none';
  if (ours.length === theirs.length && ours.every((word, index) => word === theirs[index])) return 'exact';
  const known = new Set(theirs.filter(isFullWord));
  return ours.some((word) => known.has(word)) ? 'partial' : 'none';
}
