import type { StatusRow } from '@vuka/contracts';
import {
  amountInUsd,
  assetSymbol,
  formatMoney,
  isUsd,
  PAYOUT_TYPES,
  PUBLIC_REFUND_STATUS,
  publicStatusOf,
  shortcodeOf,
} from '@vuka/domain';

import { correctionOf, messageBeside, paymentTold } from './correction.js';
import type { DestinationVault } from '../destination-vault.js';
import type { OrderCredit } from '../order.store.js';
import type { TransactionSnapshot } from '../transaction.store.js';

/** Without a frozen rate there is no amount in USD (docs/decisions/0004). */
const WITHOUT_RATE = '0.00';

/** See decisions.md section 2. */
export function statusRowOf(snapshot: TransactionSnapshot, vault: DestinationVault): StatusRow {
  const { details, life, credit, latePayment, createdAt, updatedAt } = snapshot;
  const status = publicStatusOf(life.state);
  const { publicName, receiptNumber } = paymentTold(life);
  const rate = credit?.rate ?? snapshot.deposit?.rate;
  const { amount } = details;
  return {
    id: details.id,
    transaction_code: details.transactionCode,
    status,
    amount: formatMoney(amount),
    amount_in_usd: isUsd(amount.currency) ? formatMoney(amount) : rate ? amountInUsd(amount, rate) : WITHOUT_RATE,
    ...(credit ? ORDER_COLUMNS : recipientColumnsOf(snapshot, vault)),
    public_name: vault.openName(details.id, publicName),
    receipt_number: receiptNumber,
    ...(credit ? creditColumnsOf(credit, snapshot) : depositColumnsOf(snapshot)),
    message: messageBeside(latePayment, life.message),
    currency_code: amount.currency,
    is_released: status === 'COMPLETE',
    created_at: createdAt.toISOString(),
    fee: formatMoney(details.fee),
    service_fee: formatMoney(details.serviceFee),
    // While people decide, a stored failure code is not public.
    failure_code: status === 'FAILED' ? (life.failureCode ?? '') : '',
    order_id: credit?.orderId ?? '',
    updated_at: updatedAt.toISOString(),
    correction: correctionOf(latePayment),
  };
}

type RecipientColumns = Pick<
  StatusRow,
  'type' | 'category' | 'shortcode' | 'account_number' | 'mobile_network' | 'bank_code' | 'bank_name'
>;

const ORDER_COLUMNS: RecipientColumns = {
  type: 'CHECKOUT',
  category: 'COLLECTION',
  shortcode: '',
  account_number: null,
  mobile_network: '',
  bank_code: '',
  bank_name: '',
};

/** In place of each number that is gone. */
const ERASED = 'erased';

function recipientColumnsOf({ details, destination }: TransactionSnapshot, vault: DestinationVault): RecipientColumns {
  if (destination.key === null) return erasedColumnsOf(destination);
  const recipient = vault.open(details.id, details.amount.currency, destination);
  return {
    type: PAYOUT_TYPES[recipient.kind],
    category: 'DISBURSEMENT',
    shortcode: shortcodeOf(recipient),
    account_number: 'account_number' in recipient ? recipient.account_number : null,
    mobile_network: recipient.kind === 'mobile' ? recipient.mobile_network : '',
    bank_code: destination.bankCode,
    bank_name: destination.bankName,
  };
}

function erasedColumnsOf({
  kind,
  mobileNetwork,
  bankCode,
  bankName,
}: TransactionSnapshot['destination']): RecipientColumns {
  return {
    type: PAYOUT_TYPES[kind],
    category: 'DISBURSEMENT',
    shortcode: kind === 'bank' ? '' : ERASED,
    account_number: kind === 'bank' || kind === 'paybill' ? ERASED : null,
    mobile_network: mobileNetwork,
    bank_code: bankCode,
    bank_name: bankName,
  };
}

type DepositColumns = Pick<StatusRow, 'chain' | 'asset' | 'transaction_hash' | 'rate' | 'quote_id' | 'refund'>;

function depositColumnsOf({ pay, deposit, refund }: TransactionSnapshot): DepositColumns {
  return {
    chain: pay?.chain ?? '',
    // What arrived counts, not what was named.
    asset: deposit ? assetSymbol(deposit.received.currency) : (pay?.asset ?? null),
    transaction_hash: pay?.transactionHash ?? null,
    rate: deposit?.rate ?? '',
    quote_id: pay?.quoteId ?? '',
    // Older releases left it waiting without a refund row.
    refund: refund ? PUBLIC_REFUND_STATUS[refund] : deposit?.state === 'refunding' ? 'PENDING' : '',
  };
}

/** `refund`: of the order's rest. */
function creditColumnsOf(
  { chain, asset, transactionHash, rate }: OrderCredit,
  { refund }: TransactionSnapshot,
): DepositColumns {
  return {
    chain,
    asset,
    transaction_hash: transactionHash,
    rate,
    quote_id: '',
    refund: refund ? PUBLIC_REFUND_STATUS[refund] : '',
  };
}
