import { z } from 'zod';

/**
 * An update about the money after the transaction ended (decisions.md section 6). The status does not change.
 * `paid_after_failure`: the recipient was paid. `reversed_after_failure`: that payment was also returned.
 */
export const correction = z.object({
  reason: z.enum(['paid_after_failure', 'reversed_after_failure']),
  receipt_number: z.string().min(1),
  /** With the decimals of the row's currency. */
  amount: z.string(),
  /** When we learned it. */
  at: z.iso.datetime(),
});
export type Correction = z.infer<typeof correction>;

/** interface.md, callback payload. Unknown optional members are omitted. */
export const transactionCallback = z.object({
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED', 'REVERSED']),
  transaction_code: z.string(),
  receipt_number: z.string().optional(),
  message: z.string(),
  public_name: z.string().optional(),
  failure_code: z.string().optional(),
  correction: correction.optional(),
});
export type TransactionCallback = z.infer<typeof transactionCallback>;

/** Values of the header `x-vuka-event`. */
export const refundTold = z.enum(['refund.held', 'refund.sent', 'refund.confirmed', 'refund.failed']);
export type RefundTold = z.infer<typeof refundTold>;

/** Not `transaction_code` or `order_id`: a receiver could take the refund's COMPLETE for the payment's. */
export const refundCallback = z.object({
  refund_id: z.int().positive(),
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED']),
  chain: z.string(),
  asset: z.string(),
  /** Whole tokens. */
  amount: z.string(),
  address: z.string(),
  transaction_hash: z.string(),
  /** '' before it is signed. */
  refund_transaction_hash: z.string(),
  refund_of_transaction_code: z.string().optional(),
  refund_of_order_id: z.string().optional(),
  message: z.string(),
  /** Only if FAILED. */
  reason: z.string().optional(),
});
export type RefundCallback = z.infer<typeof refundCallback>;
