import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

import type { Currency } from '../currency/currency.js';
import { PHONE_PREFIXES } from '../currency/phone-prefixes.js';
import { CURRENCIES } from '../currency/registry.js';
import type { LookupDestination } from './destination.js';

/**
 * From `0…`, the country code with or without `+`, or (in some countries) the bare number (decisions.md section
 * 1, Phones).
 * null: not mobile. Known other ranges are refused; unknown ones are accepted, because plans grow faster than
 * lists.
 */
export function parsePhone(
  text: string,
  { phone_code, phone: { national, bareAccepted } }: Pick<Currency, 'phone_code' | 'phone'>,
): string | null {
  const prefixes = ['0', phone_code, `+${phone_code}`, ...(bareAccepted ? [''] : [])];
  const prefix = prefixes.find(
    (candidate) => text.startsWith(candidate) && national.test(text.slice(candidate.length)),
  );
  if (prefix === undefined) return null;
  const number = `+${phone_code}${text.slice(prefix.length)}`;
  const kind = parsePhoneNumberFromString(number)?.getType();
  return kind === undefined || kind === 'MOBILE' || kind === 'FIXED_LINE_OR_MOBILE' ? number : null;
}

/** Throws on another country's number; parsePhone returns none. */
export function currencyOfPhone(phone: string): Currency {
  const currency = Object.values<Currency>(CURRENCIES).find(({ phone_code }) => phone.startsWith(`+${phone_code}`));
  if (currency === undefined) throw new RangeError('currencyOfPhone: the number is of no country here');
  return currency;
}

/** `+254712345678` becomes `0712345678`. */
export function localPhone(phone: string): string {
  return `0${phone.slice(currencyOfPhone(phone).phone_code.length + 1)}`;
}

/** Never a reason to refuse: numbers are ported. */
export function hintedNetworks(phone: string): readonly string[] {
  const digits = phone.slice(1);
  const rows = PHONE_PREFIXES[currencyOfPhone(phone).code] ?? [];
  const matching = rows.filter(([prefix]) => digits.startsWith(prefix)).sort(([a], [b]) => b.length - a.length);
  return matching[0]?.[1] ?? [];
}

/** A phone in local form, a till or a paybill; '' for a bank account. */
export function shortcodeOf(destination: LookupDestination): string {
  switch (destination.kind) {
    case 'bank':
      return '';
    case 'mobile':
      return localPhone(destination.phone);
    case 'paybill':
    case 'till':
      return destination.shortcode;
  }
}
