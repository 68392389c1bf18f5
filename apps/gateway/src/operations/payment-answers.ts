import { nameMatch, orderView, refundView, statusRow, correction, type OrderView } from '@vuka/contracts';
import { FAILURE_CODES } from '@vuka/domain';
import { z } from 'zod';

import { currencyCode, decimal, id, instant, payoutType } from './answer-fields.js';

const failureCode = z.enum(['', ...Object.keys(FAILURE_CODES)]);
const CHECKOUT = 'CHECKOUT';

const acceptanceRecord = z.object({
  status: z.literal('PENDING'),
  transaction_code: z
    .string()
    .describe('Your `reference`, else one of ours. Ask for the outcome by it')
    .meta({ examples: ['payroll-2026-11-0042'] }),
  message: z.string().meta({ examples: ['Payout accepted and being processed'] }),
});

/** The contract's row, narrowed to what is answered, with a word on each field. */
const describedRow = statusRow.extend({
  id: id.describe('Ours; another than `transaction_code`'),
  transaction_code: z.string().describe('Your `reference`, else the one we made'),
  status: statusRow.shape.status.describe(
    'PENDING → PROCESSING → COMPLETE or FAILED; COMPLETE → REVERSED where the money came back. Never backwards',
  ),
  amount: decimal.describe('In `currency_code`, with its fixed decimals').meta({ examples: ['1500.00'] }),
  amount_in_usd: decimal
    .describe(
      'At the frozen rate; `0.00` where none is frozen: of payouts from a wallet, and of a pay whose transfer was not looked for yet',
    )
    .meta({ examples: ['0.00'] }),
  type: z
    .enum([...payoutType.options, CHECKOUT])
    .describe('What kind of destination was paid; `CHECKOUT` of an order’s'),
  shortcode: z.string().describe('Phone in local form, till or paybill; `""` for a bank account'),
  account_number: z.string().nullable().describe('Of the bank account, or at the paybill'),
  public_name: z
    .string()
    .nullable()
    .describe('The recipient as the rail knows it; null until paid, or where it cannot tell'),
  receipt_number: z.string().nullable().describe('The rail’s receipt; null until paid'),
  category: statusRow.shape.category.describe(
    'DISBURSEMENT is money that goes out, COLLECTION what a checkout order has brought into your wallet',
  ),
  chain: z.string().describe('Of the deposit; `""` for a payout from the wallet'),
  asset: z
    .string()
    .nullable()
    .describe('The token of the deposit: as it arrived, and before that as named; null until one is known'),
  transaction_hash: z
    .string()
    .nullable()
    .describe('Of the deposit, in its one canonical spelling; null for a payout from the wallet'),
  message: z.string().describe('For people; where FAILED, why'),
  currency_code: currencyCode.describe('What it is paid in, and the wallet it leaves or a deposit’s value would go to'),
  is_released: z.boolean().describe('true where `status` is COMPLETE'),
  mobile_network: z.string().describe('Canonical name; `""` unless a phone was paid'),
  created_at: instant,
  fee: decimal.describe('Your markup, inside `amount`'),
  service_fee: decimal.describe('Ours, on top of `amount`'),
  rate: z.string().describe('Fiat for one whole token, frozen for this pay; `""` where none is'),
  quote_id: z.string().describe('The quote that was sent; `""` where none was'),
  refund: z
    .enum(['', ...refundView.shape.status.options])
    .describe('What became of a deposit that goes back; `""` where none does'),
  order_id: z.string().describe('Of a checkout order; `""` otherwise'),
  failure_code: failureCode.describe('Why it FAILED, from a closed list; `""` otherwise'),
  updated_at: instant,
  correction: z
    .union([z.literal(''), correction])
    .describe(
      'Of a FAILED or REVERSED one that was paid all the same: the payment, also when it has come back since. Its status stays. `""` otherwise',
    ),
});

const resolution = {
  status: z.enum(['COMPLETE', 'FAILED']).describe('FAILED: there is no such destination'),
  verified: z
    .boolean()
    .describe('true where the rail told the name. false: only the form is known to be right, and the name is `""`'),
  name_match: nameMatch
    .optional()
    .describe('Only where you sent `account_name`: how it compares, whatever its case, order and accents'),
};

const resolvedShortcode = z.object({
  status: resolution.status,
  shortcode: z.string().describe('Phone in local form, till or paybill'),
  public_name: z.string().describe('The owner; never a placeholder'),
  mobile_network: z.string().describe('Canonical name; `""` for tills and paybills'),
  verified: resolution.verified,
  name_match: resolution.name_match,
});

const resolvedAccount = z.object({
  status: resolution.status,
  account_name: z.string().describe('The owner; never a placeholder'),
  account_number: z.string(),
  bank_name: z.string(),
  bank_code: z.string(),
  verified: resolution.verified,
  name_match: resolution.name_match,
});

/** Clients parse it as a number (decisions.md section 2, checkout); inside it is none. */
const wireNumber = z.number();

const orderFacts = {
  order_id: z.string().describe('Your own name for it'),
  status: orderView.shape.status.describe(
    'PENDING → PROCESSING (a transfer was seen) → COMPLETE or FAILED. Never backwards',
  ),
  network: z.string().meta({ examples: ['CELO'] }),
  asset: z.string().meta({ examples: ['USDC'] }),
  asset_amount: decimal.describe('What is due, in whole tokens').meta({ examples: ['11.596444'] }),
  address: z.string().describe('Where to send it: of this order alone'),
  rate: z.number().positive().describe('Fiat for one whole token, frozen for this order'),
  amount: wireNumber.positive().describe('What is due, in US dollars'),
  expires_at: instant,
};

const order = z.object({
  ...orderFacts,
  expires_in: z.int().min(0).describe('Seconds that are left'),
  memo_address: z
    .string()
    .describe('With `memo`, for wallets that cannot send to the address; `""` where the chain has no memos'),
  memo: z.string(),
  payment_url: z.string().describe('The page that shows the payer all of this; `""` where there is none'),
});

const ORDER_REASONS: Readonly<Record<OrderView['reason'], string>> = {
  '': 'none',
  expired: 'nothing arrived in time',
  underpaid: 'less than was due arrived in time; it waits for you, to be sent back',
  overpaid: 'COMPLETE, and more than was due arrived; the rest is yours',
  late: 'it arrived after the end; it waits for you, to be sent back',
  wrong_asset: 'another token arrived',
  wrong_network: 'it arrived on another network',
};

const orderStatus = z.object({
  ...orderFacts,
  reason: orderView.shape.reason.describe(
    Object.entries(ORDER_REASONS)
      .map(([reason, meaning]) => `\`${reason === '' ? '""' : reason}\`: ${meaning}`)
      .join('. '),
  ),
  message: z.string().describe('For people'),
  received_amount: decimal
    .describe('What has arrived of it, final or not, in whole tokens')
    .meta({ examples: ['0.000000'] }),
  transaction_hash: z.string().nullable().describe('Of the newest transfer to it; null where there is none yet'),
});

const quote = z.object({
  quote_id: z.uuid().describe('Send it with the `pay`'),
  rate: decimal.describe('Fiat for one whole token').meta({ examples: ['129.35'] }),
  amount: decimal.describe('As you asked, with the currency’s decimals').meta({ examples: ['1500.00'] }),
  asset_amount: decimal.describe('What to send, in whole tokens').meta({ examples: ['11.596444'] }),
  amount_in_usd: decimal.meta({ examples: ['11.60'] }),
  settlement_wallet_address: z.string().describe('Where to send it: your own address on that chain'),
  memo_address: z
    .string()
    .describe('With `memo`, for wallets that cannot send to the address; `""` where the chain has no memos'),
  memo: z.string(),
  expires_in: z.int().min(0).describe('Seconds'),
  expires_at: instant,
});

const refund = z.object({
  refund_id: id.describe('Ours'),
  status: refundView.shape.status.describe(
    'PENDING: to be signed. PROCESSING: on its way. COMPLETE: final on the chain. FAILED: nothing was sent',
  ),
  chain: z.string(),
  asset: z.string().meta({ examples: ['USDC'] }),
  amount: decimal.describe('Whole tokens, as they arrived').meta({ examples: ['11.596444'] }),
  address: z.string().describe('Where it goes, as the chain spells it'),
  transaction_hash: z.string().describe('Of the deposit, in its one canonical spelling'),
  refund_transaction_hash: z.string().describe('Of the transfer that sends it back; `""` before it is signed'),
});

export const TRANSACTION_ANSWERS = {
  Acceptance: acceptanceRecord,
  StatusRow: describedRow,
  ResolvedShortcode: resolvedShortcode,
  ResolvedAccount: resolvedAccount,
} as const;

export const ORDER_ANSWERS = { Quote: quote, Refund: refund, Order: order, OrderStatus: orderStatus } as const;
