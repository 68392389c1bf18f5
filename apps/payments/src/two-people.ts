/** Characters of a person's name. */
export const MAX_NAME = 100;
/** Of why something is done, and where that can be seen. */
export const MAX_REASON = 2_000;

/** A name as it goes on the record: without what surrounds it, in one spelling of each character. */
export function nameOf(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').replaceAll(/\s+/gu, ' ').trim();
}

export function isName(text: string): boolean {
  return nameOf(text) !== '' && text.length <= MAX_NAME;
}

export function isReason(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_REASON;
}

/** Whether two names are one person's, whatever their case, spaces, widths, compositions and characters that nobody sees. */
export function samePerson(a: string, b: string): boolean {
  return foldedName(a) === foldedName(b);
}

/** Upper case first: it opens what lower case keeps apart (ß and ss, the two small sigmas). */
function foldedName(text: string): string {
  return nameOf(nameOf(text).toUpperCase().toLowerCase());
}
