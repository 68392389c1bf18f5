import type { PhoneRule } from './currency/currency.js';

/**
 * A mobile number in local form (`0…`), from `0…`, the country code with or without `+`, and where the country takes it
 * the bare number (decisions.md section 1, Phones). null where it is none. Which network it is on, no prefix can tell:
 * numbers are ported.
 */
export function localPhone(text: string, callingCode: string, { pattern, bareAccepted }: PhoneRule): string | null {
  const prefixes = ['0', callingCode, `+${callingCode}`, ...(bareAccepted ? [''] : [])];
  for (const prefix of prefixes) {
    const national = text.slice(prefix.length);
    if (text.startsWith(prefix) && pattern.test(national)) return `0${national}`;
  }
  return null;
}
