import { z } from 'zod';

import { assetName, depositFacts, depositFailure, minorUnits, rateText } from './deposit-facts.js';
import { refundCallback, refundTold, transactionCallback } from './partner-callbacks.js';
import { endpointDisabled, partnerStatusChanged } from './partner-events.js';

/** A change of a transaction's public status, as a snapshot taken in the commit that changed it. */
export const transactionChanged = z.object({
  transaction_id: z.int().positive(),
  partner_id: z.int().positive(),
  /** Where the webhook goes, fixed when the transaction was accepted; null = nobody asked to be told. */
  callback_url: z.string().nullable(),
  /** Counts the public changes of this transaction from 1; webhook-id is `<transaction_id>_<sequence>`. */
  public_sequence: z.int().positive(),
  payload: transactionCallback,
});
export type TransactionChanged = z.infer<typeof transactionChanged>;

/** How far a refund is, as its partner is told: a snapshot taken in the commit that brought it there. */
export const refundStatusChanged = z.object({
  refund_id: z.int().positive(),
  partner_id: z.int().positive(),
  /** Where the webhook goes: the transaction's, else the partner's default when the refund was asked for; null = nobody asked to be told. */
  callback_url: z.string().nullable(),
  /** Counts what is told of this refund from 1; webhook-id is `<refund_id>_<sequence>`. */
  public_sequence: z.int().positive(),
  told: refundTold,
  payload: refundCallback,
});
export type RefundStatusChanged = z.infer<typeof refundStatusChanged>;

/** A pay was accepted and waits for its deposit: offramp looks for it and says what it finds. */
export const transactionAwaitingDeposit = z.object({
  transaction_id: z.int().positive(),
  partner_id: z.int().positive(),
  chain: z.string().min(1).max(20),
  /** Canonical: as libs/domain's canonicalTransactionId() writes it. */
  transaction_hash: z.string().min(1).max(100),
  /** The token the partner named; null = whichever accepted one arrived. */
  asset: z.string().min(1).max(20).nullable(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** What the deposit has to cover, the partner's markup included. */
  amount_minor: minorUnits,
  quote_id: z.uuid().nullable(),
  accepted_at: z.iso.datetime(),
});
export type TransactionAwaitingDeposit = z.infer<typeof transactionAwaitingDeposit>;

/** What every verdict names: the claim (= the transaction's id) it is about, so that a late one cannot touch a newer claim. */
const verdict = { claim_id: z.int().positive(), partner_id: z.int().positive() };

/** The transfer is on the chain, and not final yet. */
export const depositSeen = z.object(verdict);

/** The value is final and covers the amount. */
export const depositVerified = z.object({
  ...verdict,
  deposit: depositFacts,
  /** Other accepted tokens of the same transfer: received, and used for nothing. */
  also: z.array(depositFacts).max(20),
  /** Fiat per whole token, frozen for this claim. */
  rate: rateText,
  /** Why the quote that was sent was not used; null where none was sent, or it was. */
  quote_passed_over: z.enum(['expired', 'used', 'unknown']).nullable(),
  /** Screening wants a person to look before anything is paid. */
  screening_hit: z.boolean(),
});

/** No value for us, for good. */
export const depositUnusable = z.object({
  ...verdict,
  reason: depositFailure,
  /** Not found or not final: the hash is open to this partner again. */
  releases_claim: z.boolean(),
});

/** Value arrived that cannot be used for this claim: it is the partner's, and waits. */
export const depositUnapplied = z.object({
  ...verdict,
  deposit: depositFacts,
  also: z.array(depositFacts).max(20),
  reason: depositFailure,
  rate: rateText,
});

/** Unapplied value goes to the partner's wallet, at the rate of the day (unapplied_credited). */
export const depositCredited = z.object({
  ...verdict,
  deposit: depositFacts,
  currency: z.string().regex(/^[A-Z]{3}$/),
  rate: rateText,
});

/** What was told of before is not on the chain any more: a reorganisation took it back, and no later block has it. One for each deposit. */
export const depositReverted = z.object({ ...verdict, deposit: depositFacts });

const refund = { refund_id: z.int().positive(), partner_id: z.int().positive() };

/** Value waits on `refunding` to be sent back. Nothing of it may be prepared or shown to a signer before `refund.granted`. */
export const refundHeld = z.object({
  ...refund,
  /** offramp's: what goes back. */
  deposit_id: z.int().positive(),
  chain: z.string().min(1).max(20),
  asset: assetName,
  decimals: z.int().min(0).max(18),
  amount_minor: minorUnits,
  /** Where to, as the chain spells it (EVM: EIP-55). */
  address: z.string().min(1).max(128),
});

/** It may be signed: whatever its payout turns out to be from now on, the refund goes on. */
export const refundGranted = z.object(refund);
/** It has ended before it was granted, for its payout was paid after all: nothing of it is ever signed. */
export const refundWithdrawn = z.object(refund);

/** The transfer is signed: from now on it may be on the chain. */
export const refundSigned = z.object({ ...refund, transaction_hash: z.string().min(1).max(100) });
/** The chain was given it. */
export const refundBroadcast = refundSigned;
/** It is final. */
export const refundConfirmed = refundSigned;

/** Nothing was sent, and nothing ever will be. */
export const refundFailed = z.object({
  ...refund,
  reason: z.enum(['deposit_reverted', 'address_refused', 'transfer_failed', 'cancelled']),
});

const order = {
  /** checkout's number of the order: also the number of the transaction that credits it. */
  order_number: z.int().positive(),
  partner_id: z.int().positive(),
};

/** One transfer to an order's address, by offramp's claim on it: what comes later of the same claim says more of the same transfer. */
const orderTransfer = { ...order, claim_id: z.int().positive() };

/** What is on the chain of one token, in a block that may yet go: told for the payer's eyes, and used for nothing. */
export const sightedValue = z.object({
  asset: assetName,
  decimals: z.int().min(0).max(18),
  received_minor: minorUnits,
});

/** A transfer to an order's address is in a block, and not final yet. */
export const orderDepositSeen = z.object({
  ...orderTransfer,
  chain: z.string().min(1).max(20),
  transaction_hash: z.string().min(1).max(100),
  block_time: z.iso.datetime(),
  values: z.array(sightedValue).min(1).max(20),
});

/** It is final: value of ours. All that one transfer brought to the address, by token. */
export const orderDepositConfirmed = z.object({
  ...orderTransfer,
  deposits: z.array(depositFacts).min(1).max(20),
  /** Fiat per whole token, frozen for the order: the watch's. */
  rate: rateText,
  /** Screening has marked who sent it: it is recorded, and pays for nothing. */
  screening_hit: z.boolean(),
});

/** What was seen brings nothing: it is nowhere any more, has failed, or was ours. Should it come again, it is seen again. */
export const orderDepositGone = z.object(orderTransfer);

/** What was confirmed is not on the chain any more. One for each deposit. */
export const orderDepositReverted = z.object({ ...orderTransfer, deposit: depositFacts });

/** The order's chain has been looked through past the end of the order's time: whatever came in time has been told before this. */
export const orderWatchPassed = z.object({ ...order, chain: z.string().min(1).max(20), scanned_to: z.iso.datetime() });

/** Flat body of an order's webhook (interface.md, Checkout callback payload). */
export const orderCallback = z.object({
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED']),
  order_id: z.string(),
  message: z.string(),
});
export type OrderCallback = z.infer<typeof orderCallback>;

/** A change of an order's public status, as a snapshot taken in the commit that changed it. */
export const orderChanged = z.object({
  ...order,
  /** The partner's default webhook, fixed when the order was made; null = nobody asked to be told. */
  callback_url: z.string().nullable(),
  /** Counts the public changes of this order from 1; webhook-id is `<order_number>_<sequence>`. */
  public_sequence: z.int().positive(),
  payload: orderCallback,
});
export type OrderChanged = z.infer<typeof orderChanged>;

/** What of a deposit an order has used. What it has not used waits for its partner: to be sent back, or credited by policy. */
export const orderUse = z.object({
  deposit: depositFacts,
  /** Of the deposit's token, 0 where none of it was used. */
  used_minor: minorUnits,
  /** Of the order's currency, what the wallet gets for that. */
  credited_minor: minorUnits,
  screening_hit: z.boolean(),
});

/**
 * An order has made up its mind about deposits. `credit` where it is COMPLETE: `uses` are then all deposits it was judged by, and what they credit adds up to
 * its amount; more of them than an event holds are told in several, one after the other, each with the whole credit. Null where they were used for nothing: it
 * FAILED, or they came after its end.
 */
export const orderSettled = z.object({
  ...order,
  /** Why deposits were left over. */
  reason: z.enum(['', 'expired', 'underpaid', 'overpaid', 'late', 'wrong_asset', 'wrong_network']),
  /** The partner's own. */
  order_id: z.string().min(1).max(100),
  credit: z
    .object({
      /** Of the transaction that credits it. */
      transaction_code: z.string().min(1).max(100),
      currency: z.string().regex(/^[A-Z]{3}$/),
      amount_minor: minorUnits,
      /** Fiat per whole token, frozen for the order. */
      rate: rateText,
      message: z.string().max(500),
    })
    .nullable(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** The order's, for the deposits that it has not used, too. */
  rate: rateText,
  uses: z.array(orderUse).min(1).max(1_000),
});
export type OrderSettled = z.infer<typeof orderSettled>;

/** Every event of the system: its topic, its version and the schema of its data. Topics have one owner each. */
export const EVENTS = {
  'transaction.processing': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.complete': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.failed': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.reversed': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  // The public status stays: a payment that waits for people, and one that was paid after it had ended.
  'transaction.held': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.corrected': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  // Of the same topic, for whoever tells partners: `refund.held` and its like are between payments and offramp.
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

/** Every topic, its owner (the only producer) and the services that listen. Boot fails when these and the code disagree. */
export const TOPICS = {
  'payments.transaction.events.v1': { owner: 'payments', consumers: ['notifier'] },
  // Of its own, so that who tells partners need not read what only offramp is asked.
  'payments.deposit-claim.events.v1': { owner: 'payments', consumers: ['offramp'] },
  'offramp.deposit.events.v1': { owner: 'offramp', consumers: ['payments'] },
  // Of its own, as the claims are: what is to be sent out of our wallets.
  'payments.refund.events.v1': { owner: 'payments', consumers: ['offramp'] },
  'offramp.refund.events.v1': { owner: 'offramp', consumers: ['payments'] },
  // What comes to the addresses of orders, keyed by the order: checkout judges it, payments keeps its value.
  'offramp.order-deposit.events.v1': { owner: 'offramp', consumers: ['checkout', 'payments'] },
  'checkout.order.events.v1': { owner: 'checkout', consumers: ['notifier'] },
  // Of its own: what is done with money is nothing that partners are told.
  'checkout.settlement.events.v1': { owner: 'checkout', consumers: ['payments', 'offramp'] },
  // What a partner may do: who starts money moving for it asks nobody at that moment.
  'gateway.partner.events.v1': { owner: 'gateway', consumers: ['payments', 'offramp'] },
  // What receivers have said of their URLs, keyed by the partner.
  'notifier.endpoint.events.v1': { owner: 'notifier', consumers: ['gateway'] },
} as const satisfies Record<string, { owner: string; consumers: readonly string[] }>;

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

/** What travels on a topic. `key` is the aggregate's id and orders; `sequence` counts within the key. */
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
