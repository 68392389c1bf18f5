export interface DisburseTo {
  readonly type?: string;
  readonly shortcode?: string;
  readonly account_number?: string;
  readonly mobile_network?: string;
  readonly bank_code?: string;
  readonly bank_name?: string;
  readonly account_name?: string;
}

export type DestinationKind = 'bank' | 'mobile' | 'paybill' | 'till';
export const KES_KINDS = ['bank', 'mobile', 'paybill', 'till'] as const satisfies readonly DestinationKind[];

const PAYBILL = '247247';
const TILLS_FROM = 100;
const ACCOUNTS_FROM = 100_000;
const ACCOUNTS = 899_999;
const PHONES_IN_A_MARKET = 999;
const TILLS = 899;
/** A random start, so that suites on one Vuka seldom pay the same recipient. */
const begin = Math.random();
const made = new Map<string, number>();

function another(what: string, of: number): number {
  const many = (made.get(what) ?? 0) + 1;
  if (many > of) throw new Error(`no more ${what}`);
  made.set(what, many);
  return 1 + ((Math.floor(begin * of) + many) % of);
}

/** Ten digits, valid in every currency, unique in this process, and ending in the sandbox number. */
export function accountNumber(sandboxNumber = '7890'): string {
  return `${ACCOUNTS_FROM + another('account numbers', ACCOUNTS)}${sandboxNumber}`;
}

/** First digits of mobile numbers by market, after the `0`. */
const PHONES_FROM: Readonly<Record<string, number>> = {
  KES: 7_0000,
  UGX: 7_7000,
  NGN: 80_2000,
  GHS: 2_4000,
  MWK: 9_9000,
  CDF: 9_9000,
  ETB: 9_1000,
};

/** Local form, unique in this process (a thousand per market), ending in the sandbox number. */
export function phoneNumber(sandboxNumber = '7890', market = 'KES'): string {
  const from = PHONES_FROM[market];
  if (from === undefined) throw new Error(`no phones in ${market}`);
  return `0${from + another(`phones in ${market}`, PHONES_IN_A_MARKET)}${sandboxNumber}`;
}

/** Seven digits, unique in this process (nine hundred), ending in the sandbox number. */
export function tillNumber(sandboxNumber = '7890'): string {
  return `${TILLS_FROM + another('tills', TILLS)}${sandboxNumber}`;
}

export function kesDestination(kind: DestinationKind, sandboxNumber = '7890'): DisburseTo {
  switch (kind) {
    case 'bank':
      return { type: 'BANK_TRANSFER', account_number: accountNumber(sandboxNumber), bank_code: '01' };
    case 'mobile':
      return { type: 'MOBILE', shortcode: phoneNumber(sandboxNumber), mobile_network: 'Safaricom' };
    case 'paybill':
      return { type: 'PAYBILL', shortcode: PAYBILL, account_number: accountNumber(sandboxNumber) };
    case 'till':
      return { type: 'BUY_GOODS', shortcode: tillNumber(sandboxNumber) };
  }
}

const NETWORKS: Readonly<Record<string, string>> = {
  UGX: 'MTN',
  GHS: 'Telecel',
  MWK: 'TNM Mpamba',
  CDF: 'Mpesa',
  ETB: 'Telebirr',
};
const BANKS: Readonly<Record<string, { readonly bank_code: string; readonly bank_name: string }>> = {
  NGN: { bank_code: '044', bank_name: 'Access Bank' },
  MWK: { bank_code: '82310dd1-ec9b-4fe7-a32c-2f262ef08681', bank_name: 'National Bank of Malawi' },
};

export function destinationIn(market: string, kind: DestinationKind, sandboxNumber = '7890'): DisburseTo {
  if (market === 'KES') return kesDestination(kind, sandboxNumber);
  const type = market === 'MWK' ? { type: kind === 'bank' ? 'BANK_TRANSFER' : 'MOBILE' } : {};
  const [network, bank] = [NETWORKS[market], BANKS[market]];
  if (kind === 'mobile' && network !== undefined)
    return { ...type, shortcode: phoneNumber(sandboxNumber, market), mobile_network: network };
  if (kind === 'bank' && bank !== undefined)
    return { ...type, account_number: accountNumber(sandboxNumber), ...bank, account_name: 'Jane Doe' };
  throw new Error(`nothing is paid to a ${kind} in ${market}`);
}
