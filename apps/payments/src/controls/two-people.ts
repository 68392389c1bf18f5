/** Characters of a person's name. */
export const MAX_NAME = 100;
/** Of why something is done, and where that can be seen. */
export const MAX_REASON = 2_000;

/** What shows nothing, or nothing of its own; the blank of Braille is a letter to Unicode. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;
/** Capitals of Cyrillic and Greek that are drawn as those of Latin, and those. */
const [CHECKS, LIKE] = ['АВЕЅНІЈКМОРԚСТԜХУҮҺԀΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABESHIJKMOPQCTWXYYHDABEZHIKMNOPTYX'].map((letters) => [
  ...letters,
]) as [string[], string[]];
const DRAWN_AS: ReadonlyMap<string, string> = new Map(CHECKS.map((letter, n) => [letter, LIKE[n] as string]));

/** A name as it goes on the record: without what surrounds it, in one spelling of each character. */
export function nameOf(text: string): string {
  return text.normalize('NFKC').replaceAll(UNSEEN, '').replaceAll(/\s+/gu, ' ').trim();
}

export function isName(text: string): boolean {
  return nameOf(text) !== '' && text.length <= MAX_NAME;
}

export function isReason(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_REASON;
}

/** What is wrong with how somebody gives their name and why something is done; null: nothing. */
export function faultOfWord({ by, reason }: { readonly by: string; readonly reason: string }): string | null {
  if (!isName(by)) return `the name of who does it must have 1 to ${MAX_NAME} characters`;
  return isReason(reason) ? null : `a reason must have 1 to ${MAX_REASON} characters`;
}

/** Whether two names are one person's, whatever their case, spaces, widths, compositions, characters that nobody sees, and letters of other scripts that look the same. */
export function samePerson(a: string, b: string): boolean {
  return foldedName(a) === foldedName(b);
}

/** Upper case first: it opens what lower case keeps apart (ß and ss, the two small sigmas). */
function foldedName(text: string): string {
  const capitals = [...nameOf(text).toUpperCase()].map((letter) => DRAWN_AS.get(letter) ?? letter).join('');
  return nameOf(capitals.toLowerCase());
}
