import { sandboxPayoutControlled } from '@vuka/contracts';
import { DEFAULT_CURRENCY, type Currency, type ErrorCode } from '@vuka/domain';
import { z } from 'zod';

import {
  type AnswerSchemas,
  exampleReference,
  type JsonSchema,
  OF_DESTINATIONS,
  type Operations,
  shapedBody,
} from '../operations/index.js';

const acceptanceRecord = z.object({
  status: z.literal('PENDING'),
  transaction_code: z
    .string()
    .describe('Your `reference`, else one of ours. Ask for the outcome by it')
    .meta({ examples: ['payroll-2026-11-0042'] }),
  message: z.string().meta({ examples: ['Payout accepted and being processed'] }),
});

export const PAYOUT_ANSWERS = { Acceptance: acceptanceRecord } as const satisfies AnswerSchemas;

export const SANDBOX_ANSWERS = { ControlledPayout: sandboxPayoutControlled } as const satisfies AnswerSchemas;

const REPLAY =
  'Send a `reference`, an `Idempotency-Key`, or both: the same request sent again is then the same transaction, and the answer carries `Idempotent-Replayed: true`. ' +
  'The same `reference` with any other content is a 409. After a 503 or 504 the outcome is open: send the same request again with the same `reference` or `Idempotency-Key`, and it never pays twice. ' +
  'If you sent neither, send it again with the answer’s `Transaction-Code` as its `reference`.';
const OF_MONEY = [
  'amount_out_of_range',
  'invalid_callback_url',
  'limit_exceeded',
  'reference_reused',
  'request_in_progress',
  'idempotency_mismatch',
  'outcome_unknown',
] as const satisfies readonly ErrorCode[];
/** A deposit may already be claimed or quoted. */
const OF_DEPOSITS = [
  'hash_already_processed',
  'quote_mismatch',
  'quote_used',
  'not_found',
] as const satisfies readonly ErrorCode[];

function linksOfPayout(currency: Currency | null): JsonSchema | null {
  if (currency === null) return null;
  const requestBody = { transaction_code: '$response.body#/data/transaction_code' };
  return {
    status: { operationId: 'getStatus', requestBody, description: 'What became of it' },
    transaction: {
      operationId: 'getAccountTransaction',
      parameters: { country: currency.country.toLowerCase() },
      requestBody,
      description: 'The same row',
    },
  };
}

export const PAYOUT_OPERATIONS = {
  bankTransfer: {
    method: 'POST',
    paths: ['/:currency/bank-transfer'],
    key: 'consumer',
    scope: 'payouts',
    money: true,
    offer: 'bankTransfer',
    badRequest: 'Failed - Bad Request: ',
    notWhileSuspended: true,
    document: {
      tag: 'Payouts',
      ids: ['bankTransfer'],
      summary: 'Transfer to a bank account in {currency}',
      description: `Pays a bank account from your {currency} wallet. ${REPLAY}`,
      message: 'The transaction is accepted',
      answer: 'Acceptance',
      byCurrency: true,
      body: ({ currency }) => currency && shapedBody('bank_transfer', currency),
      links: linksOfPayout,
      errors: [...OF_DESTINATIONS, ...OF_MONEY, 'insufficient_balance'],
    },
  },
  disburse: {
    method: 'POST',
    paths: ['/:currency/disburse'],
    key: 'consumer',
    scope: 'payouts',
    money: true,
    offer: null,
    notWhileSuspended: true,
    document: {
      tag: 'Payouts',
      ids: ['disburse'],
      summary: 'Pay out in {currency}',
      description: `Pays a recipient from your wallet. \`fee\` is your own markup inside \`amount\`: the recipient gets the rest, and \`fee\` is yours once the payout is \`COMPLETE\`. ${REPLAY}`,
      message: 'The transaction is accepted',
      answer: 'Acceptance',
      byCurrency: true,
      body: ({ currency }) => currency && shapedBody('disburse', currency),
      links: linksOfPayout,
      errors: [...OF_DESTINATIONS, ...OF_MONEY, 'insufficient_balance'],
    },
  },
  pay: {
    method: 'POST',
    paths: ['/v1/pay', '/v1/pay/:currency'],
    key: 'consumer',
    scope: 'payouts',
    money: true,
    offer: null,
    notWhileSuspended: true,
    document: {
      tag: 'Payouts',
      ids: ['pay', 'pay'],
      summary: 'Pay out a deposit in {currency}',
      description:
        'Pays a recipient with stablecoin that you have sent to your own address on the chain (`settlement_wallet_address` of the networks). It is `PENDING` until the transfer is final, and each transfer pays once: ' +
        'the same `transaction_hash` again, in any spelling, is a 409 that names the payout. `quote_id` holds the rate of a quote, for at most its `asset_amount` and the tolerance, and is taken until 30 minutes after the quote’s `expires_at` (409 `quote_mismatch` from then on); what you sent beyond that is left over and can be sent back (`refund`), and goes back with the rest where the payout fails and a `refund_address` was given. Without a quote the rate freezes when the transfer is first looked for. A token that is not worth a dollar waits. A chain that is not served is a 503. ' +
        `\`fee\` is your own markup inside \`amount\`. ${REPLAY}`,
      message: 'The transaction is accepted',
      answer: 'Acceptance',
      byCurrency: true,
      body: ({ currency }) => currency && shapedBody('pay', currency),
      links: linksOfPayout,
      errors: [...OF_DESTINATIONS, ...OF_MONEY, ...OF_DEPOSITS],
    },
  },
} as const satisfies Operations;

export const SANDBOX_OPERATIONS = {
  sandboxPayout: {
    method: 'POST',
    paths: [
      '/sandbox/payouts/:code/release',
      '/sandbox/payouts/:code/top-up',
      '/sandbox/payouts/:code/pay',
      '/sandbox/payouts/:code/reverse',
    ],
    key: 'consumer',
    scope: 'payouts',
    money: false,
    offer: null,
    sandboxOnly: true,
    notWhileSuspended: true,
    document: {
      tag: 'Sandbox',
      ids: ['releaseSandboxPayout', 'topUpSandboxPayout', 'paySandboxPayout', 'reverseSandboxPayout'],
      summary: ['Pay what is held', 'Give the rail float', 'Have it paid now', 'Have the money come back'],
      description:
        '`done` is false where the provider had nothing to do. May be sent right after the payout: what comes before the provider has it waits for that.',
      message: 'Done by the sandbox rail',
      answer: 'ControlledPayout',
      parameters: {
        code: {
          name: 'transaction_code',
          description: 'Of one of your payouts',
          schema: {},
          example: exampleReference('disburse', DEFAULT_CURRENCY),
        },
      },
    },
  },
} as const satisfies Operations;
