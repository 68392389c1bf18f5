import { z } from 'zod';

/**
 * What became known of a payment after its transaction had ended without it (decisions.md section 6): the status stays, and this says what is true of the
 * money. `paid_after_failure`: the recipient has it. `reversed_after_failure`: that payment came back as well.
 */
export const correction = z.object({
  reason: z.enum(['paid_after_failure', 'reversed_after_failure']),
  /** The provider's, of that payment. */
  receipt_number: z.string().min(1),
  /** What the recipient got, with the decimals of the row's currency. */
  amount: z.string(),
  /** When that became known. */
  at: z.iso.datetime(),
});
export type Correction = z.infer<typeof correction>;

/** Flat body of a transaction webhook (interface.md, callback payload); optional members are omitted when unknown. */
export const transactionCallback = z.object({
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED', 'REVERSED']),
  transaction_code: z.string(),
  receipt_number: z.string().optional(),
  message: z.string(),
  public_name: z.string().optional(),
  /** Why it FAILED, from the closed list of the status row. */
  failure_code: z.string().optional(),
  correction: correction.optional(),
});
export type TransactionCallback = z.infer<typeof transactionCallback>;

/** What partners are told of a refund: the header `x-vuka-event`. */
export const refundTold = z.enum(['refund.held', 'refund.sent', 'refund.confirmed', 'refund.failed']);
export type RefundTold = z.infer<typeof refundTold>;

/**
 * Flat body of a refund's webhook: the members of the answer to POST /v1/refund, and what the refund is of. That is neither `transaction_code` nor `order_id`:
 * who reads a body without its event would take the refund's COMPLETE for the payment's or the order's.
 */
export const refundCallback = z.object({
  refund_id: z.int().positive(),
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED']),
  chain: z.string(),
  asset: z.string(),
  /** Whole tokens. */
  amount: z.string(),
  address: z.string(),
  /** Of the deposit. */
  transaction_hash: z.string(),
  /** Of the refund itself; '' before it is signed. */
  refund_transaction_hash: z.string(),
  refund_of_transaction_code: z.string().optional(),
  refund_of_order_id: z.string().optional(),
  message: z.string(),
  /** Of one that FAILED. */
  reason: z.string().optional(),
});
export type RefundCallback = z.infer<typeof refundCallback>;
