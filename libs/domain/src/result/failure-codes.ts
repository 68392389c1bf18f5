/**
 * The closed list of `failure_code`, with the sentence for partners. Adapters map provider codes to it.
 * Default: `recipient_rejected` if the recipient's side refused, `rail_rejected` if the provider did.
 */
export const FAILURE_CODES = {
  rail_unavailable: 'No payment rail could take the payment in time. The money was not sent.',
  rail_rejected: 'The payment rail refused the payment. The money was not sent.',
  recipient_not_found: 'The recipient account does not exist.',
  recipient_rejected: 'The recipient account cannot receive this payment.',
  recipient_limit_reached: 'The payment would take the recipient account over its limit.',
  recipient_invalid: 'The recipient details are not valid at the payment rail.',
  amount_not_accepted: 'The payment rail does not accept this amount.',
  expired_at_rail: 'The payment rail gave the payment up before paying it.',
  cancelled: 'The payment was cancelled before it was sent.',
  no_matching_transfer: 'No matching transfer to our address was found on the chain.',
  hash_already_processed: 'The transfer has already been processed.',
  transfer_failed: 'The transfer failed on the chain.',
  transfer_not_final: 'The transfer did not become final in time.',
  underpaid: 'The transfer has a mismatch equivalent amount in USD: it is worth less than the amount.',
  wrong_asset: 'The transfer is in another asset than the one that was named.',
  deposit_late: 'The transfer is too old, or came after the deadline.',
  quote_expired: 'The transfer came late for its quote. This code is not given: it gets the rate of the day.',
  deposit_reverted: 'The transfer vanished from the chain before the payment was sent.',
} as const satisfies Record<string, string>;

export type FailureCode = keyof typeof FAILURE_CODES;

export function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(FAILURE_CODES, text);
}
