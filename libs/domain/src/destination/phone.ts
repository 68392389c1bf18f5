import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

import type { Currency } from '../currency/currency.js';
import { PHONE_PREFIXES } from '../currency/phone-prefixes.js';
import { CURRENCIES } from '../currency/registry.js';
import type { LookupDestination } from './destination.js';

/**
 * A mobile number in E.164, from `0…`, the country code with or without `+`, and where the country takes it the bare
 * number (decisions.md section 1, Phones). null where it is none. Beside the country's own pattern the number plan decides:
 * what it knows to be something else (a landline, a free number) is refused; a range it does not know yet is not, because plans
 * grow faster than their lists. Which network it is on, no prefix can tell: numbers are ported.
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

/** The currency whose country a number in E.164 is of. Throws on a number of elsewhere: parsePhone made none. */
export function currencyOfPhone(phone: string): Currency {
  const currency = Object.values<Currency>(CURRENCIES).find(({ phone_code }) => phone.startsWith(`+${phone_code}`));
  if (currency === undefined) throw new RangeError('currencyOfPhone: the number is of no country here');
  return currency;
}

/** A number in E.164 as its country writes it: `+254712345678` is `0712345678`. */
export function localPhone(phone: string): string {
  return `0${phone.slice(currencyOfPhone(phone).phone_code.length + 1)}`;
}

/** The networks whose ranges a number in E.164 is from; [] where that tells none. Never a reason to refuse. */
export function hintedNetworks(phone: string): readonly string[] {
  const digits = phone.slice(1);
  const rows = PHONE_PREFIXES[currencyOfPhone(phone).code] ?? [];
  const matching = rows.filter(([prefix]) => digits.startsWith(prefix)).sort(([a], [b]) => b.length - a.length);
  return matching[0]?.[1] ?? [];
}

/** What the interface calls `shortcode`: a phone in local form, a till, a paybill; '' of a bank account. */
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
