export const MAX_NAME = 100;
export const MAX_REASON = 2_000;

/** Invisible characters; Unicode counts the blank of Braille among letters. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;
/** Cyrillic and Greek capitals that look like Latin ones. */
const [CHECKS, LIKE] = ['АВЕЅНІЈКМОРԚСТԜХУҮҺԀΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABESHIJKMOPQCTWXYYHDABEZHIKMNOPTYX'].map((letters) => [
  ...letters,
]) as [string[], string[]];
const DRAWN_AS: ReadonlyMap<string, string> = new Map(CHECKS.map((letter, n) => [letter, LIKE[n] as string]));

/** Trimmed and normalized, as it is recorded. */
export function nameOf(text: string): string {
  return text.normalize('NFKC').replaceAll(UNSEEN, '').replaceAll(/\s+/gu, ' ').trim();
}

export function isName(text: string): boolean {
  return nameOf(text) !== '' && text.length <= MAX_NAME;
}

export function isReason(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_REASON;
}

export function faultOfWord({ by, reason }: { readonly by: string; readonly reason: string }): string | null {
  if (!isName(by)) return `the name of the person must have 1 to ${MAX_NAME} characters`;
  return isReason(reason) ? null : `a reason must have 1 to ${MAX_REASON} characters`;
}

/** Ignores case, spaces, widths, compositions, invisible characters and look-alike letters of other scripts. */
export function samePerson(a: string, b: string): boolean {
  return foldedName(a) === foldedName(b);
}

/** Upper case first: it joins what lower case keeps apart (ß and ss, both small sigmas). */
function foldedName(text: string): string {
  const capitals = [...nameOf(text).toUpperCase()].map((letter) => DRAWN_AS.get(letter) ?? letter).join('');
  return nameOf(capitals.toLowerCase());
}
