/** Below this, somebody with the hash or with time at the door finds it. */
export const LEAST_BITS = 64;

/**
 * Bits, estimated from the text alone: its length times the bits of the characters that it uses,
 * without what repeats or only counts on (`aaaa`, `1234`, `abcabc`).
 */
export function entropyBits(text: string): number {
  const unit = [...unitOf(text)];
  const steps = unit.filter((char, at) => Math.abs(codeOf(char) - codeOf(unit[at - 1] ?? '')) > 1);
  return steps.length * Math.log2(Math.max(1, new Set(unit).size));
}

/** What the text is made of by repetition; itself where it is not. */
function unitOf(text: string): string {
  const length = (text + text).indexOf(text, 1);
  return length > 0 ? text.slice(0, length) : text;
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? -2;
}
