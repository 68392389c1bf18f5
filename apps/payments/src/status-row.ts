import type { StatusRow } from '@vuka/contracts';
import { currencyDecimals, formatDecimal, isUsd, PAYOUT_TYPES, publicStatusOf, shortcodeOf } from '@vuka/domain';

import type { DestinationVault } from './destination-vault.js';
import type { TransactionSnapshot } from './store/transaction.store.js';

/** A wallet-funded transaction in another currency has no rate, so there is no amount in USD to speak of (docs/decisions/0004). */
const WITHOUT_RATE = '0.00';

/** A transaction as partners see it (decisions.md section 2). */
export function statusRowOf({ terms, life, destination, createdAt, updatedAt }: TransactionSnapshot, vault: DestinationVault): StatusRow {
  const status = publicStatusOf(life.state);
  const recipient = vault.open(terms.id, terms.currency, destination);
  const text = (minor: bigint): string => formatDecimal(minor, currencyDecimals(terms.currency));
  return {
    id: terms.id,
    transaction_code: terms.transactionCode,
    status,
    amount: text(terms.amountMinor),
    amount_in_usd: isUsd(terms.currency) ? text(terms.amountMinor) : WITHOUT_RATE,
    type: PAYOUT_TYPES[recipient.kind],
    shortcode: shortcodeOf(recipient),
    account_number: 'account_number' in recipient ? recipient.account_number : null,
    public_name: life.publicName,
    receipt_number: life.receiptNumber,
    category: 'DISBURSEMENT',
    chain: '',
    asset: null,
    transaction_hash: null,
    message: life.message,
    currency_code: terms.currency,
    is_released: status === 'COMPLETE',
    mobile_network: recipient.kind === 'mobile' ? recipient.mobile_network : '',
    created_at: createdAt.toISOString(),
    bank_code: destination.bankCode,
    bank_name: destination.bankName,
    fee: text(terms.feeMinor),
    service_fee: text(terms.serviceFeeMinor),
    rate: '',
    quote_id: '',
    failure_code: life.failureCode ?? '',
    refund: '',
    order_id: '',
    updated_at: updatedAt.toISOString(),
  };
}
