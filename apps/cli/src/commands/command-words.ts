/** Invalid words; the message says what is wrong. */
export class WrongUsage extends Error {}

const LONGEST_SENTENCE = 1_000;
const WANTED = {
  evidence: 'what proves it, and where that can be seen',
  note: 'what was found and done',
  reason: 'why, and how that is known',
} as const;
const LONGEST_NAME = 80;

export interface Words {
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  readonly operator: string | null;
}

export function nameIn(words: Words): string {
  const name = (textIn(words, 'by') ?? words.operator)?.trim().replace(/\s+/g, ' ') ?? '';
  if (name === '') throw new WrongUsage('--by is missing: who are you? It goes on the record.');
  if (name.length > LONGEST_NAME || hasControls(name))
    throw new WrongUsage(`--by is a name of ${LONGEST_NAME} characters at most.`);
  return name;
}

export function actIn(words: Words): { by: string; reason: string } {
  return { by: nameIn(words), reason: sentenceIn(words, 'reason') };
}

export function sentenceIn(words: Words, option: 'evidence' | 'note' | 'reason'): string {
  const text = textIn(words, option)?.trim() ?? '';
  if (text === '') throw new WrongUsage(`--${option} is missing: ${WANTED[option]}.`);
  if (text.length > LONGEST_SENTENCE || hasControls(text))
    throw new WrongUsage(`--${option} is one line of ${LONGEST_SENTENCE} characters at most.`);
  return text;
}

export function textIn(words: Words, option: string): string | null {
  const value = words.options[option];
  return typeof value === 'string' ? value : null;
}

export function numberOf(text: string | undefined, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text ?? '')) throw new WrongUsage(`"${text ?? ''}" is no number of ${what}.`);
  return Number(text);
}

export function listIn(words: Words, option: string): string[] | null {
  const text = textIn(words, option);
  if (text === null) return null;
  const list = text.split(',').map((one) => one.trim());
  if (list.some((one) => one === '' || hasControls(one)))
    throw new WrongUsage(`--${option} is a list, parted by commas.`);
  return list;
}

/** A day, or a time with its zone; null without the option. */
export function timeIn(words: Words, option: string): Date | null {
  const text = textIn(words, option);
  if (text === null) return null;
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(time.getTime()))
    throw new WrongUsage(`--${option} is a time with its zone, or a day: 2027-01-31T00:00:00Z.`);
  return time;
}

export function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
