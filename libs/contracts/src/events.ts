import { z } from 'zod';

import { assetName, depositFacts, depositFailure, minorUnits, rateText } from './deposit-facts.js';

/** Flat body of a transaction webhook (interface.md, callback payload); optional members are omitted when unknown. */
export const transactionCallback = z.object({
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED', 'REVERSED']),
  transaction_code: z.string(),
  receipt_number: z.string().optional(),
  message: z.string(),
  public_name: z.string().optional(),
});
export type TransactionCallback = z.infer<typeof transactionCallback>;

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

/** Unapplied value goes to the partner's wallet, at the rate of the day (P14). */
export const depositCredited = z.object({
  ...verdict,
  deposit: depositFacts,
  currency: z.string().regex(/^[A-Z]{3}$/),
  rate: rateText,
});

/** What was told of before is not on the chain any more: a reorganisation took it back, and no later block has it. One for each deposit. */
export const depositReverted = z.object({ ...verdict, deposit: depositFacts });

const refund = { refund_id: z.int().positive(), partner_id: z.int().positive() };

/** Value waits on `refunding` to be sent back: who holds the keys' tasks may have it signed now, and not before. */
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

/** The transfer is signed: from now on it may be on the chain. */
export const refundSigned = z.object({ ...refund, transaction_hash: z.string().min(1).max(100) });
/** The chain was given it. */
export const refundBroadcast = refundSigned;
/** It is final. */
export const refundConfirmed = refundSigned;

/** Nothing was sent, and nothing ever will be. */
export const refundFailed = z.object({ ...refund, reason: z.enum(['deposit_reverted', 'address_refused', 'transfer_failed', 'cancelled']) });

/** Every event of the system: its topic, its version and the schema of its data. Topics have one owner each. */
export const EVENTS = {
  'transaction.processing': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.complete': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.failed': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.reversed': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.awaiting-deposit': { topic: 'payments.deposit-claim.events.v1', version: 1, data: transactionAwaitingDeposit },
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
  'deposit.reverted': { topic: 'offramp.deposit.events.v1', version: 1, data: depositReverted },
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
} as const satisfies Record<string, { owner: string; consumers: readonly string[] }>;

export type TopicName = 'payments.transaction.events.v1' | 'payments.deposit-claim.events.v1' | 'offramp.deposit.events.v1' | 'payments.refund.events.v1' | 'offramp.refund.events.v1';

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
