import { refundView } from '@vuka/contracts';
import { z } from 'zod';

import { type AnswerSchemas, decimal, id, type Operations, refundBody } from '../operations/index.js';

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

export const REFUND_ANSWERS = { Refund: refund } as const satisfies AnswerSchemas;

export const REFUND_OPERATIONS = {
  refund: {
    method: 'POST',
    paths: ['/v1/refund'],
    key: 'consumer',
    scope: 'refunds',
    money: true,
    noTransaction: true,
    offer: null,
    notWhileSuspended: true,
    document: {
      tag: 'Payouts',
      ids: ['refund'],
      summary: 'Send a deposit back',
      description:
        'Sends back on its chain what arrived by one transfer and was used for nothing: underpaid, late, of another token, beyond a quote, or left over by an order. Where the transfer brought value for several of your orders or payments, `order_id` or `reference` (a `transaction_code`) says which, and a request without is a 400 that lists them: the value of each may be another payer’s. To `refund_address`, else to the return address that is registered for you, and never to the sender. ' +
        'It is `PENDING` until it is signed, `PROCESSING` until it is final there, then `COMPLETE`; `FAILED` means that nothing was sent and the value is where it was. A deposit goes back once: the same request again answers as its refund stands, ' +
        'and another address is a 409, as is value that was used or is in your wallet. An account that owes money is a 403. What is worth less than its transfer may cost is a 400 that says how much it takes on that chain. A pay that names a `refund_address` and whose payout fails is sent back without being asked, where nothing of that forbids it; else its value goes to your wallet. A pay whose deposit could not be used (underpaid, another token, too old) is not: ask for it here.',
      message: 'The refund',
      answer: 'Refund',
      body: refundBody,
      errors: [
        'unsupported_network',
        'amount_out_of_range',
        'not_found',
        'hash_already_processed',
        'request_in_progress',
        'idempotency_mismatch',
        'outcome_unknown',
      ],
    },
  },
} as const satisfies Operations;
