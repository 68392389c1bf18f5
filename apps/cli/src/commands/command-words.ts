/** Invalid words; the message says what is wrong. */
export class WrongUsage extends Error {}

const LONGEST_SENTENCE = 1_000;
const WANTED = {
  evidence: 'say what proves it, and where the proof can be seen',
  note: 'say what you found and what you did',
  reason: 'say why, and how you know',
} as const;
const LONGEST_NAME = 80;

export interface Words {
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  readonly operator: string | null;
}

export function nameIn(words: Words): string {
  const name = (textIn(words, 'by') ?? words.operator)?.trim().replace(/\s+/g, ' ') ?? '';
  if (name === '') throw new WrongUsage('--by is missing: give your name, for the audit record.');
  if (name.length > LONGEST_NAME || hasControls(name))
    throw new WrongUsage(`--by must be a name of at most ${LONGEST_NAME} characters, without control characters.`);
  return name;
}

export function actIn(words: Words): { by: string; reason: string } {
  return { by: nameIn(words), reason: sentenceIn(words, 'reason') };
}

export function sentenceIn(words: Words, option: 'evidence' | 'note' | 'reason'): string {
  const text = textIn(words, option)?.trim() ?? '';
  if (text === '') throw new WrongUsage(`--${option} is missing: ${WANTED[option]}.`);
  if (text.length > LONGEST_SENTENCE || hasControls(text))
    throw new WrongUsage(`--${option} must be one line of at most ${LONGEST_SENTENCE} characters.`);
  return text;
}

export function textIn(words: Words, option: string): string | null {
  const value = words.options[option];
  return typeof value === 'string' ? value : null;
}

export function numberOf(text: string | undefined, what: string): number {
  const about = what.startsWith('--') ? what : `The number of ${what}`;
  if (!/^[1-9]\d{0,14}$/.test(text ?? ''))
    throw new WrongUsage(`${about} must be a whole number above 0, not "${text ?? ''}".`);
  return Number(text);
}

export function listIn(words: Words, option: string): string[] | null {
  const text = textIn(words, option);
  if (text === null) return null;
  const list = text.split(',').map((one) => one.trim());
  if (list.some((one) => one === '' || hasControls(one)))
    throw new WrongUsage(`--${option} must be a list, separated by commas, without empty entries.`);
  return list;
}

/** A day, or a time with its zone; null without the option. */
export function timeIn(words: Words, option: string): Date | null {
  const text = textIn(words, option);
  if (text === null) return null;
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(time.getTime()))
    throw new WrongUsage(`--${option} must be a day (2027-01-31), or a time with its zone (2027-01-31T00:00:00Z).`);
  return time;
}

export function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
