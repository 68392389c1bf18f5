import { z } from 'zod';

import { assetName, depositFacts, depositFailure, minorUnits, rateText } from './deposit-facts.js';
import { refundCallback, refundTold, transactionCallback } from './partner/partner-callbacks.js';
import { endpointDisabled, partnerStatusChanged } from './partner/partner-events.js';

/** A public status change; the snapshot is taken in the same commit. */
export const transactionChanged = z.object({
  transaction_id: z.int().positive(),
  partner_id: z.int().positive(),
  /** Fixed when the transaction was accepted; null = no webhook. */
  callback_url: z.string().nullable(),
  /** From 1; webhook-id is `<transaction_id>_<sequence>`. */
  public_sequence: z.int().positive(),
  payload: transactionCallback,
});
export type TransactionChanged = z.infer<typeof transactionChanged>;

/** As transactionChanged, for a refund. */
export const refundStatusChanged = z.object({
  refund_id: z.int().positive(),
  partner_id: z.int().positive(),
  /** The transaction's, else the partner's default when the refund was requested; null = no webhook. */
  callback_url: z.string().nullable(),
  /** From 1; webhook-id is `<refund_id>_<sequence>`. */
  public_sequence: z.int().positive(),
  told: refundTold,
  payload: refundCallback,
});
export type RefundStatusChanged = z.infer<typeof refundStatusChanged>;

/** offramp searches for the deposit of a pay and reports the verdict. */
export const transactionAwaitingDeposit = z.object({
  transaction_id: z.int().positive(),
  partner_id: z.int().positive(),
  chain: z.string().min(1).max(20),
  /** canonicalTransactionId() of libs/domain. */
  transaction_hash: z.string().min(1).max(100),
  /** null = any accepted token. */
  asset: z.string().min(1).max(20).nullable(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** Includes the partner's markup. */
  amount_minor: minorUnits,
  quote_id: z.uuid().nullable(),
  accepted_at: z.iso.datetime(),
});
export type TransactionAwaitingDeposit = z.infer<typeof transactionAwaitingDeposit>;

/** The claim (= the transaction's id) is in every verdict: a late one must not affect a newer claim. */
const verdict = { claim_id: z.int().positive(), partner_id: z.int().positive() };

export const depositSeen = z.object(verdict);

/** Final, and covers the amount. */
export const depositVerified = z.object({
  ...verdict,
  deposit: depositFacts,
  /** Other accepted tokens of the same transfer, not used. */
  also: z.array(depositFacts).max(20),
  /** Fiat per whole token, frozen for this claim. */
  rate: rateText,
  /** null = no quote given, or it was used. */
  quote_passed_over: z.enum(['expired', 'used', 'unknown']).nullable(),
  /** A person must check it before a payout. */
  screening_hit: z.boolean(),
});

/** No value for us, ever. */
export const depositUnusable = z.object({
  ...verdict,
  reason: depositFailure,
  /** Not found or not final: this partner may claim the hash again. */
  releases_claim: z.boolean(),
});

/** Value that this claim cannot use. It belongs to the partner and waits. */
export const depositUnapplied = z.object({
  ...verdict,
  deposit: depositFacts,
  also: z.array(depositFacts).max(20),
  reason: depositFailure,
  rate: rateText,
});

/** Unapplied value goes to the wallet at the current rate (unapplied_credited). */
export const depositCredited = z.object({
  ...verdict,
  deposit: depositFacts,
  currency: z.string().regex(/^[A-Z]{3}$/),
  rate: rateText,
});

/** A reorganisation removed it for good. One event per deposit. */
export const depositReverted = z.object({ ...verdict, deposit: depositFacts });

const refund = { refund_id: z.int().positive(), partner_id: z.int().positive() };

/** Value waits in `refunding`. Do not prepare it or show it to a signer before `refund.granted`. */
export const refundHeld = z.object({
  ...refund,
  deposit_id: z.int().positive(),
  chain: z.string().min(1).max(20),
  asset: assetName,
  decimals: z.int().min(0).max(18),
  amount_minor: minorUnits,
  /** The chain's spelling (EVM: EIP-55). */
  address: z.string().min(1).max(128),
});

/** It may be signed. The refund now continues, whatever the payout's later outcome. */
export const refundGranted = z.object(refund);
/** The payout was paid after all, so this refund is never signed. */
export const refundWithdrawn = z.object(refund);

/** From now on it may be on the chain. */
export const refundSigned = z.object({ ...refund, transaction_hash: z.string().min(1).max(100) });
export const refundBroadcast = refundSigned;
export const refundConfirmed = refundSigned;

/** Nothing was sent, and nothing ever will be. */
export const refundFailed = z.object({
  ...refund,
  reason: z.enum(['deposit_reverted', 'address_refused', 'transfer_failed', 'cancelled']),
});

const order = {
  /** Also the number of the transaction that credits it. */
  order_number: z.int().positive(),
  partner_id: z.int().positive(),
};

/** Same claim: same transfer. */
const orderTransfer = { ...order, claim_id: z.int().positive() };

/** In a block that may still disappear. Shown to the payer only. */
export const sightedValue = z.object({
  asset: assetName,
  decimals: z.int().min(0).max(18),
  received_minor: minorUnits,
});

export const orderDepositSeen = z.object({
  ...orderTransfer,
  chain: z.string().min(1).max(20),
  transaction_hash: z.string().min(1).max(100),
  block_time: z.iso.datetime(),
  values: z.array(sightedValue).min(1).max(20),
});

/** Everything that one final transfer brought, by token. */
export const orderDepositConfirmed = z.object({
  ...orderTransfer,
  deposits: z.array(depositFacts).min(1).max(20),
  /** Fiat per whole token, frozen for the order. */
  rate: rateText,
  /** The sender is on the screening list: recorded, but pays for nothing. */
  screening_hit: z.boolean(),
});

/** It vanished, failed, or was our own. If it comes again, it is reported again. */
export const orderDepositGone = z.object(orderTransfer);

/** A reorganisation removed it. One event per deposit. */
export const orderDepositReverted = z.object({ ...orderTransfer, deposit: depositFacts });

/** The chain was scanned past the order's end. All deposits in time were reported before. */
export const orderWatchPassed = z.object({ ...order, chain: z.string().min(1).max(20), scanned_to: z.iso.datetime() });

/** interface.md, Checkout callback payload. */
export const orderCallback = z.object({
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED']),
  order_id: z.string(),
  message: z.string(),
});
export type OrderCallback = z.infer<typeof orderCallback>;

/** As transactionChanged, for an order. */
export const orderChanged = z.object({
  ...order,
  /** The partner's default when the order was made; null = no webhook. */
  callback_url: z.string().nullable(),
  /** From 1; webhook-id is `<order_number>_<sequence>`. */
  public_sequence: z.int().positive(),
  payload: orderCallback,
});
export type OrderChanged = z.infer<typeof orderChanged>;

/** The unused rest waits for a refund, or a credit by policy. */
export const orderUse = z.object({
  deposit: depositFacts,
  /** The deposit's token; 0 = not used. */
  used_minor: minorUnits,
  /** The order's currency. */
  credited_minor: minorUnits,
  screening_hit: z.boolean(),
});

/**
 * `credit` is set if COMPLETE: all `uses` together then credit its amount. Null: nothing was used (FAILED, or
 * too late).
 * Too many uses are split over several events, each with the whole credit.
 */
export const orderSettled = z.object({
  ...order,
  reason: z.enum(['', 'expired', 'underpaid', 'overpaid', 'late', 'wrong_asset', 'wrong_network']),
  order_id: z.string().min(1).max(100),
  credit: z
    .object({
      /** Code of the transaction that credits the order. */
      transaction_code: z.string().min(1).max(100),
      currency: z.string().regex(/^[A-Z]{3}$/),
      amount_minor: minorUnits,
      /** Fiat per whole token, frozen. */
      rate: rateText,
      message: z.string().max(500),
    })
    .nullable(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** Also for unused deposits. */
  rate: rateText,
  uses: z.array(orderUse).min(1).max(1_000),
});
export type OrderSettled = z.infer<typeof orderSettled>;

export const EVENTS = {
  'transaction.processing': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.complete': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.failed': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.reversed': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  // The public status does not change: held for a person, or paid after the transaction's end.
  'transaction.held': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.corrected': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  // `refund.held` and the others are between payments and offramp; this one is for partners.
  'refund-status.changed': { topic: 'payments.transaction.events.v1', version: 1, data: refundStatusChanged },
  'transaction.awaiting-deposit': {
    topic: 'payments.deposit-claim.events.v1',
    version: 1,
    data: transactionAwaitingDeposit,
  },
  'deposit.seen': { topic: 'offramp.deposit.events.v1', version: 1, data: depositSeen },
  'deposit.verified': { topic: 'offramp.deposit.events.v1', version: 1, data: depositVerified },
  'deposit.unusable': { topic: 'offramp.deposit.events.v1', version: 1, data: depositUnusable },
  'deposit.unapplied': { topic: 'offramp.deposit.events.v1', version: 1, data: depositUnapplied },
  'deposit.credited': { topic: 'offramp.deposit.events.v1', version: 1, data: depositCredited },
  'refund.signed': { topic: 'offramp.refund.events.v1', version: 1, data: refundSigned },
  'refund.broadcast': { topic: 'offramp.refund.events.v1', version: 1, data: refundBroadcast },
  'refund.confirmed': { topic: 'offramp.refund.events.v1', version: 1, data: refundConfirmed },
  'refund.failed': { topic: 'offramp.refund.events.v1', version: 1, data: refundFailed },
  'refund.held': { topic: 'payments.refund.events.v1', version: 1, data: refundHeld },
  'refund.granted': { topic: 'payments.refund.events.v1', version: 1, data: refundGranted },
  'refund.withdrawn': { topic: 'payments.refund.events.v1', version: 1, data: refundWithdrawn },
  'deposit.reverted': { topic: 'offramp.deposit.events.v1', version: 1, data: depositReverted },
  'order-deposit.seen': { topic: 'offramp.order-deposit.events.v1', version: 1, data: orderDepositSeen },
  'order-deposit.confirmed': { topic: 'offramp.order-deposit.events.v1', version: 1, data: orderDepositConfirmed },
  'order-deposit.gone': { topic: 'offramp.order-deposit.events.v1', version: 1, data: orderDepositGone },
  'order-deposit.reverted': { topic: 'offramp.order-deposit.events.v1', version: 1, data: orderDepositReverted },
  'order-watch.passed': { topic: 'offramp.order-deposit.events.v1', version: 1, data: orderWatchPassed },
  'order.processing': { topic: 'checkout.order.events.v1', version: 1, data: orderChanged },
  'order.complete': { topic: 'checkout.order.events.v1', version: 1, data: orderChanged },
  'order.failed': { topic: 'checkout.order.events.v1', version: 1, data: orderChanged },
  'order.settled': { topic: 'checkout.settlement.events.v1', version: 1, data: orderSettled },
  'partner.suspended': { topic: 'gateway.partner.events.v1', version: 1, data: partnerStatusChanged },
  'partner.resumed': { topic: 'gateway.partner.events.v1', version: 1, data: partnerStatusChanged },
  'endpoint.disabled': { topic: 'notifier.endpoint.events.v1', version: 1, data: endpointDisabled },
} as const satisfies Record<string, { topic: TopicName; version: number; data: z.ZodType }>;

export type EventType = keyof typeof EVENTS;

/** The owner is the only producer. Boot fails if the code disagrees. */
export const TOPICS = {
  'payments.transaction.events.v1': { owner: 'payments', consumers: ['notifier'] },
  // Separate, so that notifier need not read it.
  'payments.deposit-claim.events.v1': { owner: 'payments', consumers: ['offramp'] },
  'offramp.deposit.events.v1': { owner: 'offramp', consumers: ['payments'] },
  'payments.refund.events.v1': { owner: 'payments', consumers: ['offramp'] },
  'offramp.refund.events.v1': { owner: 'offramp', consumers: ['payments'] },
  'offramp.order-deposit.events.v1': { owner: 'offramp', consumers: ['checkout', 'payments'] },
  'checkout.order.events.v1': { owner: 'checkout', consumers: ['notifier'] },
  // Separate: partners do not see how money is booked.
  'checkout.settlement.events.v1': { owner: 'checkout', consumers: ['payments', 'offramp'] },
  // Lets them know a partner's status without a call.
  'gateway.partner.events.v1': { owner: 'gateway', consumers: ['payments', 'offramp'] },
  'notifier.endpoint.events.v1': { owner: 'notifier', consumers: ['gateway'] },
} as const satisfies Record<string, { owner: string; consumers: readonly string[] }>;

/** Who reads what a service writes, and whose events it reads. Each such pair has event keys of its own. */
export function eventPairsOf(service: string): { readonly to: readonly string[]; readonly from: readonly string[] } {
  const topics = Object.values<{ owner: string; consumers: readonly string[] }>(TOPICS);
  return {
    to: [...new Set(topics.flatMap(({ owner, consumers }) => (owner === service ? consumers : [])))],
    from: [...new Set(topics.flatMap(({ owner, consumers }) => (consumers.includes(service) ? [owner] : [])))],
  };
}

export type TopicName =
  | 'payments.transaction.events.v1'
  | 'payments.deposit-claim.events.v1'
  | 'offramp.deposit.events.v1'
  | 'payments.refund.events.v1'
  | 'offramp.refund.events.v1'
  | 'offramp.order-deposit.events.v1'
  | 'checkout.order.events.v1'
  | 'checkout.settlement.events.v1'
  | 'gateway.partner.events.v1'
  | 'notifier.endpoint.events.v1';

/** `key` is the aggregate's id; `sequence` counts per key. */
export const envelope = z.object({
  id: z.uuid(),
  type: z.enum(Object.keys(EVENTS) as [EventType, ...EventType[]]),
  version: z.int().positive(),
  key: z.string().min(1).max(100),
  sequence: z.int().positive(),
  occurredAt: z.iso.datetime(),
  correlationId: z.string().max(200),
  /** W3C traceparent of the request that caused it. */
  causationId: z.string().max(200),
  producer: z.string().min(1).max(50),
  data: z.unknown(),
});

export type Envelope<T extends EventType = EventType> = Omit<z.infer<typeof envelope>, 'type' | 'data'> & {
  readonly type: T;
  readonly data: z.infer<(typeof EVENTS)[T]['data']>;
};
