import type { StatusRow } from '@vuka/contracts';
import { amountInUsd, assetSymbol, currencyDecimals, formatDecimal, isUsd, PAYOUT_TYPES, PUBLIC_REFUND_STATUS, publicStatusOf, shortcodeOf } from '@vuka/domain';

import type { DestinationVault } from './destination-vault.js';
import type { TransactionSnapshot } from './store/transaction.store.js';

/** Without a frozen rate (from a wallet in another currency, or before the deposit is judged) there is no amount in USD to speak of (docs/decisions/0004). */
const WITHOUT_RATE = '0.00';

/** A transaction as partners see it (decisions.md section 2). */
export function statusRowOf(snapshot: TransactionSnapshot, vault: DestinationVault): StatusRow {
  const { terms, life, destination, createdAt, updatedAt } = snapshot;
  const status = publicStatusOf(life.state);
  const recipient = vault.open(terms.id, terms.currency, destination);
  const text = (minor: bigint): string => formatDecimal(minor, currencyDecimals(terms.currency));
  return {
    id: terms.id,
    transaction_code: terms.transactionCode,
    status,
    amount: text(terms.amountMinor),
    amount_in_usd: isUsd(terms.currency) ? text(terms.amountMinor) : snapshot.deposit ? amountInUsd(terms.amountMinor, snapshot.deposit.rate, terms.currency) : WITHOUT_RATE,
    type: PAYOUT_TYPES[recipient.kind],
    shortcode: shortcodeOf(recipient),
    account_number: 'account_number' in recipient ? recipient.account_number : null,
    public_name: life.publicName,
    receipt_number: life.receiptNumber,
    category: 'DISBURSEMENT',
    ...depositColumnsOf(snapshot),
    message: life.message,
    currency_code: terms.currency,
    is_released: status === 'COMPLETE',
    mobile_network: recipient.kind === 'mobile' ? recipient.mobile_network : '',
    created_at: createdAt.toISOString(),
    bank_code: destination.bankCode,
    bank_name: destination.bankName,
    fee: text(terms.feeMinor),
    service_fee: text(terms.serviceFeeMinor),
    failure_code: life.failureCode ?? '',
    order_id: '',
    updated_at: updatedAt.toISOString(),
  };
}

type DepositColumns = Pick<StatusRow, 'chain' | 'asset' | 'transaction_hash' | 'rate' | 'quote_id' | 'refund'>;

function depositColumnsOf({ pay, deposit, refund }: TransactionSnapshot): DepositColumns {
  return {
    chain: pay?.chain ?? '',
    // What arrived is what counts, whatever was named.
    asset: deposit ? assetSymbol(deposit.asset) : (pay?.asset ?? null),
    transaction_hash: pay?.transactionHash ?? null,
    rate: deposit?.rate ?? '',
    quote_id: pay?.quoteId ?? '',
    // One that a release without refunds has left waiting has no refund of its own yet.
    refund: refund ? PUBLIC_REFUND_STATUS[refund] : deposit?.state === 'refunding' ? 'PENDING' : '',
  };
}
