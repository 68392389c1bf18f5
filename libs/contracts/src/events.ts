import { z } from 'zod';

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

/** Every event of the system: its topic, its version and the schema of its data. Topics have one owner each. */
export const EVENTS = {
  'transaction.processing': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.complete': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.failed': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
  'transaction.reversed': { topic: 'payments.transaction.events.v1', version: 1, data: transactionChanged },
} as const satisfies Record<string, { topic: TopicName; version: number; data: z.ZodType }>;

export type EventType = keyof typeof EVENTS;

/** Every topic, its owner (the only producer) and the services that listen. Boot fails when these and the code disagree. */
export const TOPICS = {
  'payments.transaction.events.v1': { owner: 'payments', consumers: ['notifier'] },
} as const satisfies Record<string, { owner: string; consumers: readonly string[] }>;

export type TopicName = 'payments.transaction.events.v1';

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
