import { currencyDecimals, fail, formatDecimal, type Money, ok, parseDecimal, type Result } from '@vuka/domain';

import type { PayoutDestination } from '../../payout-provider.js';

/** Its transfers are in birr alone [D]. */
export const CHAPA_CURRENCY = 'ETB';
const DECIMALS = currencyDecimals(CHAPA_CURRENCY);

/** A mobile wallet as Chapa knows it: a bank of its list. */
export interface ChapaNetwork {
  /** Its name in our rules (libs/domain). */
  readonly network: string;
  /** [D] `id` of GET /v1/banks (public copy of 2024-08); 855 is also in the published webhook. */
  readonly bankCode: number;
  /** [D] slug of the same list. A question for approval names the bank by it. */
  readonly slug: string;
  /** [D] developer.chapa.co/payment-methods, payout: whole birr. */
  readonly limits: { readonly min: bigint; readonly max: bigint };
}

/** Our rules pay no bank in Ethiopia, so only wallets are here. */
export const CHAPA_NETWORKS: readonly ChapaNetwork[] = [
  { network: 'Telebirr', bankCode: 855, slug: 'telebirr', limits: { min: 1n, max: 75_000n } },
  { network: 'Cbe Birr', bankCode: 128, slug: 'cbebirr', limits: { min: 1n, max: 300_000n } },
  { network: 'MPESA', bankCode: 266, slug: 'mpesa', limits: { min: 1n, max: 75_000n } },
];

/** undefined: Chapa does not pay there. */
export function networkOf(currency: string, destination: PayoutDestination): ChapaNetwork | undefined {
  return destination.kind === 'mobile' ? networkNamed(currency, destination.mobile_network) : undefined;
}

/** By our name of it. */
export function networkNamed(currency: string, name: string): ChapaNetwork | undefined {
  return currency === CHAPA_CURRENCY ? CHAPA_NETWORKS.find(({ network }) => network === name) : undefined;
}

/** By the name or the code that Chapa writes: `telebirr`, `CBEBirr`, `M-Pesa`, `855`. */
export function isBankOf({ slug, bankCode }: ChapaNetwork, written: string): boolean {
  const name = written.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return name === slug || name === String(bankCode);
}

/**
 * The digits after the country's code, which are the same in `+251912345678`, `251912345678`, `0912345678` and `912345678`. A number
 * that is none of these stays as it is, so that it equals no other.
 */
export function nationalOf(phone: string): string {
  return /^(?:\+?251|0)?([789]\d{8})$/.exec(phone.trim())?.[1] ?? phone;
}

/** [D] ten digits, as a caller in Ethiopia dials: `0912345678`. */
export function localOf(phone: string): string {
  return `0${nationalOf(phone)}`;
}

/** As Chapa reads it: no zero in front, and no decimals where they are all zero. `decimals`: how many it carries. */
export function toChapaAmount({ minor }: Money, decimals: 0 | 2): Result<string, string> {
  if (minor <= 0n) return fail('nothing to pay');
  const [whole = '', fraction = ''] = formatDecimal(minor, DECIMALS).split('.');
  if (!/[1-9]/.test(fraction)) return ok(whole);
  // Refused, never rounded: the recipient would get another amount.
  return decimals === 0 ? fail('Chapa is sent whole birr only') : ok(`${whole}.${fraction}`);
}

/** Minor units. It writes `"150.50"` in callbacks and `150.5` in records. null: no such amount. */
export function fromChapaAmount(written: string | number): bigint | null {
  const read = parseDecimal(String(written), DECIMALS);
  return read.ok ? read.value : null;
}
