import { maskTail, maskText } from '@vuka/runtime';

const LONGEST = 1_000;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
/** Nine digits or more, as people write a number: `0712 345 678`, `(254) 712-345-678`. */
const SPACED_NUMBER = /(?<![\w.-])[+(]?\d(?:[ ()-]{0,2}\d){8,}(?![\w-])/g;
const DATE = /^\d{4}-\d\d-\d\d/;
/** Typed by people, in the details of an audit entry. */
const TYPED = new Set(['label', 'note', 'evidence']);

/** A text that people typed, without numbers of people, addresses of mail and keys; at most 1,000 characters. */
export function maskTyped(text: string): string {
  return maskText(text)
    .replace(EMAIL, '[mail]')
    .replace(SPACED_NUMBER, (number) => (DATE.test(number) ? number : maskTail(number.replace(/\D/g, ''))))
    .slice(0, LONGEST);
}

export function maskDetails(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      TYPED.has(name) && typeof value === 'string' ? maskTyped(value) : value,
    ]),
  );
}
