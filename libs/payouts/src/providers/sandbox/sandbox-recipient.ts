import { shortcodeOf } from '@vuka/domain';
import { z } from 'zod';

import type { LookupDestination, PayoutDestination } from '../../payout-provider.js';

/** Without `kind`: a bank account. */
export const wireRecipient = z.union([
  z.object({ kind: z.literal('mobile'), shortcode: z.string(), mobile_network: z.string() }),
  z.object({ kind: z.literal('paybill'), shortcode: z.string(), account_number: z.string() }),
  z.object({ kind: z.literal('till'), shortcode: z.string() }),
  z.object({ kind: z.literal('bank').default('bank'), account_number: z.string(), bank_code: z.string() }),
]);
export type WireRecipient = z.infer<typeof wireRecipient>;

export function toWire(destination: PayoutDestination): object {
  const { kind, ...fields } = spelled(destination);
  return kind === 'bank' ? fields : { kind, ...fields };
}

/** For a paybill, only the business number. */
export function toNamedWire(destination: LookupDestination): object {
  return destination.kind === 'paybill' ? { kind: 'paybill', shortcode: destination.shortcode } : toWire(destination);
}

export function recipientNumber(destination: PayoutDestination): string {
  return destination.kind === 'bank' || destination.kind === 'paybill'
    ? destination.account_number
    : shortcodeOf(destination);
}

const NAMES: Readonly<Record<string, string>> = {
  kind: 'kind of recipient',
  account_number: 'account number',
  bank_code: 'bank',
  shortcode: 'shortcode',
  mobile_network: 'mobile network',
};

/** null: no difference. */
export function recipientDifference(told: WireRecipient, destination: PayoutDestination): string | null {
  const theirs: Readonly<Record<string, string>> = told;
  const differs = Object.entries(spelled(destination)).find(([field, value]) => theirs[field] !== value);
  return differs === undefined ? null : (NAMES[differs[0]] ?? differs[0]);
}

/** Kind first: if it differs, the rest means nothing. The bank's name is only ours. */
function spelled(destination: PayoutDestination): WireRecipient {
  switch (destination.kind) {
    case 'bank':
      return { kind: 'bank', account_number: destination.account_number, bank_code: destination.bank_code };
    case 'mobile':
      return { kind: 'mobile', shortcode: shortcodeOf(destination), mobile_network: destination.mobile_network };
    case 'paybill':
      return { kind: 'paybill', shortcode: destination.shortcode, account_number: destination.account_number };
    case 'till':
      return { kind: 'till', shortcode: destination.shortcode };
  }
}
