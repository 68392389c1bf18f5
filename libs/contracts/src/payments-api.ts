import { z } from 'zod';

import { minorUnits } from './deposit-facts.js';
import { payoutDestination } from './destinations.js';
import { operation, type InternalApi } from './internal-api.js';
import { correction } from './partner/partner-callbacks.js';
import { velocityFields } from './velocity-limits.js';

const partnerId = z.int().positive();
const transactionCode = z.string().regex(/^[A-Za-z0-9._:-]{1,100}$/);
const currencyCode = z.string().regex(/^[A-Z]{3}$/);
const publicStatus = z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED', 'REVERSED']);

export const walletOperation = z.enum(['bank_transfer', 'disburse']);
export type WalletOperation = z.infer<typeof walletOperation>;

export type PayoutOperation = WalletOperation | 'pay';

const digest = z.string().regex(/^[0-9a-f]{1,64}$/);
const fingerprint = z.string().min(1).max(1_000);
/** At most 2,048 characters before it was sealed. */
const sealedUrl = z.string().max(3_000);

const payoutTerms = {
  partner_id: partnerId,
  /** The client's, or minted by the gateway. */
  transaction_code: transactionCode,
  /** requestFingerprint() of libs/domain: one print for each of the gateway's index keys, newest first. */
  fingerprint,
  currency: currencyCode,
  amount_minor: minorUnits,
  /** The partner's markup, inside the amount (decisions.md section 3). */
  fee_minor: minorUnits,
  destination: payoutDestination,
  /** The request's, else the partner's default. Its query is sealed (WebhookCipher). */
  callback_url: sealedUrl.nullable(),
  /** termsDigest() of the limits that the gateway used. Absent: no comparison. */
  terms: digest.optional(),
  /** coverageDigest() of what the gateway routes. Absent: no comparison. */
  routes: digest.optional(),
  /** Agreed with this partner for this operation. Absent: the deployment's own. */
  service_fee: z.object({ flat_minor: minorUnits, basis_points: z.int().min(0).max(10_000) }).optional(),
  ...velocityFields,
};

export const acceptPayoutInput = z.object({ operation: walletOperation, ...payoutTerms });

export const acceptPayInput = z.object({
  ...payoutTerms,
  chain: z.string().min(1).max(20),
  /** canonicalTransactionId() of libs/domain. One claim per partner, chain and hash. */
  transaction_hash: z.string().min(1).max(100),
  /** null: any accepted token. */
  asset: z.string().min(1).max(20).nullable(),
  quote_id: z.uuid().nullable(),
  /** If the payout fails for good; null: the value goes to the wallet. */
  refund_address: z.string().min(1).max(128).nullable(),
});

export const acceptance = z.object({
  transaction_id: z.int().positive(),
  status: z.literal('PENDING'),
  transaction_code: transactionCode,
  message: z.string(),
  replayed: z.boolean(),
});
export type Acceptance = z.infer<typeof acceptance>;

/** Exactly as in decisions.md section 2 (compat). */
export const statusRow = z.object({
  id: z.int(),
  transaction_code: z.string(),
  status: publicStatus,
  amount: z.string(),
  amount_in_usd: z.string(),
  type: z.string(),
  shortcode: z.string(),
  account_number: z.string().nullable(),
  public_name: z.string().nullable(),
  receipt_number: z.string().nullable(),
  category: z.enum(['DISBURSEMENT', 'COLLECTION']),
  chain: z.string(),
  asset: z.string().nullable(),
  transaction_hash: z.string().nullable(),
  message: z.string(),
  currency_code: currencyCode,
  is_released: z.boolean(),
  mobile_network: z.string(),
  created_at: z.string(),
  bank_code: z.string(),
  bank_name: z.string(),
  fee: z.string(),
  service_fee: z.string(),
  rate: z.string(),
  quote_id: z.string(),
  failure_code: z.string(),
  refund: z.string(),
  order_id: z.string(),
  updated_at: z.string(),
  correction: z.union([z.literal(''), correction]),
});
export type StatusRow = z.infer<typeof statusRow>;

/** docs/partners/sandbox.md. */
export const sandboxPayoutAction = z.enum(['release', 'top_up', 'pay', 'reverse']);
export type SandboxPayoutAction = z.infer<typeof sandboxPayoutAction>;

export const sandboxPayoutControlled = z.object({
  transaction_code: transactionCode,
  status: publicStatus,
  /** False: nothing to do. */
  done: z.boolean(),
});
export type SandboxPayoutControlled = z.infer<typeof sandboxPayoutControlled>;

export const transactionLookup = z.union([
  z.object({ transaction_code: transactionCode }),
  z.object({ reference: transactionCode }),
  z.object({ transaction_hash: z.string().min(1).max(200) }),
]);

/** Newest first; `from` inclusive, `before` exclusive. */
const pageOfTime = {
  from: z.iso.datetime(),
  before: z.iso.datetime(),
  limit: z.int().min(1).max(1000),
  cursor: z.string().min(1).max(200).nullable(),
};

/** Partners' books use these words: never change a meaning. */
export const statementKind = z.enum([
  'opening',
  'top_up',
  'debit',
  'hold',
  'release',
  'markup',
  'reversal',
  'paid_again_returned',
  'collected',
  'refund_failed',
  'checkout',
  'deposit',
]);
export type StatementKind = z.infer<typeof statementKind>;

/** Signed decimals; minus leaves the wallet. */
export const statementEntry = z.object({
  id: z.int(),
  at: z.string(),
  kind: statementKind,
  transaction_code: z.string(),
  amount: z.string(),
  balance: z.string(),
});
export type StatementEntry = z.infer<typeof statementEntry>;

export const refundView = z.object({
  refund_id: z.int().positive(),
  /** PENDING: held, not signed. PROCESSING: signed or broadcast. COMPLETE: final. FAILED: nothing was sent. */
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED']),
  chain: z.string().min(1).max(20),
  asset: z.string().min(1).max(20),
  amount_minor: minorUnits,
  decimals: z.int().min(0).max(18),
  address: z.string().min(1).max(128),
  /** The refund's own; null before it is signed. */
  transaction_hash: z.string().min(1).max(100).nullable(),
});
export type RefundView = z.infer<typeof refundView>;

export const requestRefundInput = z.object({
  partner_id: partnerId,
  chain: z.string().min(1).max(20),
  /** The deposit's. */
  transaction_hash: z.string().min(1).max(100),
  /** Result of offramp's checkRefundAddress; null: the registered address. */
  refund_address: z.string().min(1).max(128).nullable(),
  /** Only deposits for that order. */
  order_id: z.string().min(1).max(100).nullable(),
  /** Only deposits of that pay or order. */
  reference: transactionCode.nullable(),
  /** For refunds of orders and of transactions without a URL. */
  default_url: sealedUrl.nullable(),
});

export const walletView = z.object({
  id: z.int().positive(),
  currency: currencyCode,
  /** Without held money. */
  balance_minor: minorUnits,
});

/** What a provider sent to a path of its own. */
const providerRequest = z.object({
  provider: z.string().regex(/^[a-z0-9_-]{1,40}$/),
  token: z.string().regex(/^[0-9a-f]{32,128}$/),
  method: z.enum(['POST', 'PUT']),
  host: z.string().max(16_384),
  /** With the query, as sent. */
  path: z.string().max(16_384),
  /** As sent, a pair each. */
  headers: z.array(z.tuple([z.string().max(16_384), z.string().max(16_384)])).max(200),
  /** The bytes as sent, 64 KiB at most. */
  body: z.base64().max(87_384),
});
export const takeCallbackInput = providerRequest.extend({
  /** Names one of our attempts. */
  attempt_token: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});
/** In the provider's words. */
const approvalAnswer = z.object({
  status: z.int().min(200).max(599),
  content_type: z.string().regex(/^[\x20-\x7e]{1,100}$/),
  body: z.string().max(10_000),
});

/** The others: no configured route carries it (docs/decisions/0024). */
const OF_PAYOUTS = {
  limit_exceeded: 'more than may be paid out in this hour or day',
  unsupported_currency: 'no route pays out in this currency',
  unsupported_network: 'no route pays to this network',
  unknown_bank: 'no route pays to this bank',
  invalid_request: 'no route pays to this kind of recipient, or takes such an account number or so many decimals',
  amount_out_of_range: 'no route carries this amount',
} as const;

export const paymentsApi = {
  service: 'payments',
  operations: {
    acceptPayout: operation(acceptPayoutInput, acceptance, {
      summary: 'Takes in a payout from a wallet: row, hold and key in one commit',
      errors: {
        insufficient_balance: 'the wallet does not cover the amount and the service fee',
        reference_reused: 'the code is that of another request',
        forbidden: 'the partner is suspended, or its payouts are frozen',
        ...OF_PAYOUTS,
      },
      callers: ['gateway'],
      idempotent: true,
      commits: true,
    }),
    acceptPay: operation(acceptPayInput, acceptance, {
      summary:
        'Takes in a payout funded by a deposit: row, claim of the hash, use of the quote and the question to offramp in one commit',
      errors: {
        reference_reused: 'the code is that of another request',
        hash_already_processed: 'another transaction claimed the hash; it is named',
        quote_used: 'another payment used the quote',
        rate_limited: 'too many pays of the partner wait for deposits',
        forbidden: 'the partner is suspended, or its payouts are frozen',
        ...OF_PAYOUTS,
      },
      callers: ['gateway'],
      idempotent: true,
      commits: true,
    }),
    findAcceptance: operation(
      z.object({ partner_id: partnerId, transaction_code: transactionCode, fingerprint }),
      z.object({ acceptance: acceptance.nullable() }),
      {
        summary:
          "Finds the acceptance of this very request by its fingerprint; null where the code is another request's or nobody's",
        errors: { service_unavailable: 'the database was not reached in time' },
        callers: ['gateway'],
        idempotent: true,
      },
    ),
    getTransaction: operation(
      z.object({ partner_id: partnerId, currency: currencyCode.nullable(), by: transactionLookup }),
      statusRow,
      {
        summary: 'Reads one transaction; currency null is any',
        errors: {
          not_found: "there is none; another partner's and another currency's look the same",
          service_unavailable: 'the database was not reached in time',
        },
        callers: ['gateway'],
        idempotent: true,
      },
    ),
    listTransactions: operation(
      z.object({
        partner_id: partnerId,
        currency: currencyCode.nullable(),
        status: publicStatus.nullable(),
        ...pageOfTime,
      }),
      z.object({ rows: z.array(statusRow).max(1000), next_cursor: z.string().nullable() }),
      {
        summary: 'Lists transactions, newest first; currency null is any',
        errors: {
          invalid_request: 'the cursor is none of ours',
          rate_limited: 'too many lists of the partner wait',
          service_unavailable: 'there is too much to look through',
        },
        callers: ['gateway'],
        idempotent: true,
      },
    ),
    walletStatement: operation(
      z.object({ partner_id: partnerId, currency: currencyCode, ...pageOfTime }),
      z.object({ entries: z.array(statementEntry).max(1000), next_cursor: z.string().nullable() }),
      {
        summary: 'Lists the entries of a wallet, newest first',
        errors: {
          not_found: 'the partner has no such wallet',
          invalid_request: 'the cursor is none of ours',
          rate_limited: 'too many lists of the partner wait',
          service_unavailable: 'there is too much to look through',
        },
        callers: ['gateway'],
        idempotent: true,
      },
    ),
    requestRefund: operation(requestRefundInput, refundView, {
      summary:
        'Sends unapplied value of one transaction or order back: held in the ledger, then signed. A repeat is answered as it stands',
      errors: {
        not_found: 'the partner has no deposit of that hash, or none for what is named',
        hash_already_processed: 'it was used, credited or refunded',
        invalid_request: 'there is no address, or it came for several transactions and none is named',
        amount_out_of_range: 'it is less than the least refund of its chain',
        forbidden: 'the partner is suspended or frozen, or owes us',
      },
      callers: ['gateway'],
      idempotent: true,
      commits: true,
    }),
    listWallets: operation(z.object({ partner_id: partnerId }), z.object({ wallets: z.array(walletView).max(100) }), {
      summary: 'Lists the wallets of a partner',
      errors: {},
      callers: ['gateway'],
      idempotent: true,
    }),
    openSandboxWallets: operation(
      z.object({
        partner_id: partnerId,
        openings: z.array(z.object({ currency: currencyCode, amount_minor: minorUnits })).max(20),
      }),
      z.object({ opened: z.int().nonnegative() }),
      {
        summary: 'Opens sandbox wallets with money, once per partner and currency',
        errors: { forbidden: 'this is not the sandbox', unsupported_currency: 'there are no wallets of that currency' },
        callers: ['setup'],
        idempotent: true,
      },
    ),
    takeCallback: operation(takeCallbackInput, z.object({ answer: z.string().max(1_000) }), {
      summary: 'Keeps what a provider calls back, and tells what it expects to be answered. A repeat is only counted',
      errors: {
        not_found: 'no provider has this path',
        service_unavailable: 'too much of this provider waits already',
      },
      callers: ['gateway'],
      idempotent: true,
    }),
    answerApproval: operation(providerRequest, approvalAnswer, {
      summary: 'Tells a provider that asks before it pays whether to pay. Whatever goes wrong is a refusal',
      errors: { not_found: 'no provider has this path' },
      callers: ['gateway'],
      idempotent: true,
    }),
    controlSandboxPayout: operation(
      z.object({ partner_id: partnerId, transaction_code: transactionCode, action: sandboxPayoutAction }),
      sandboxPayoutControlled,
      {
        summary: 'Has a sandbox provider do something with a payout',
        errors: {
          not_found:
            "there is none; another partner's look the same, and outside the sandbox there is nothing to control",
        },
        callers: ['gateway'],
        idempotent: false,
      },
    ),
  },
} as const satisfies InternalApi;
