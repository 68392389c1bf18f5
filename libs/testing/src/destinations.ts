/** Where a payout goes, in the fields of `POST /{currency}/disburse`. */
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
let made = 0;
let phones = 0;
let tills = TILLS_FROM;

/**
 * An account number nobody else in this process has, ending in the sandbox number given: the rail's book then tells
 * of one payout alone. Ten digits, which every currency's rule accepts.
 */
export function accountNumber(sandboxNumber = '7890'): string {
  made += 1;
  if (made > 899_999) throw new Error('no more account numbers');
  return `${100_000 + made}${sandboxNumber}`;
}

/** A Kenyan phone in local form, as accountNumber() has it. */
export function phoneNumber(sandboxNumber = '7890'): string {
  phones += 1;
  if (phones > 9_999) throw new Error('no more phones');
  return `07${String(phones).padStart(4, '0')}${sandboxNumber}`;
}

/** A till of seven digits, as accountNumber() has it; there are only nine hundred. */
export function tillNumber(sandboxNumber = '7890'): string {
  tills += 1;
  if (tills > 999) throw new Error('no more tills');
  return `${tills}${sandboxNumber}`;
}

/** A recipient in KES nobody else has, whose sandbox number is the one given. */
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
