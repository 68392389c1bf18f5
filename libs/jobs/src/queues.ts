/** `<service>.<verb>-<noun>`. A wake carries nothing: due work is a row. */
export const QUEUES = {
  'payments.start-payouts': { everyMs: 1_000 },
  'payments.submit-payouts': { everyMs: 1_000 },
  'payments.poll-payouts': { everyMs: 1_000 },
  'payments.collect-receivables': { everyMs: 1_000 },
  'payments.read-statements': { everyMs: 1_000 },
  'payments.grant-refunds': { everyMs: 1_000 },
  'payments.execute-settlements': { everyMs: 1_000 },
  'payments.stale-alerts': { everyMs: 60_000 },
  'payments.read-floats': { everyMs: 300_000 },
  'payments.make-partitions': { everyMs: 3_600_000 },
  'notifier.deliver-webhooks': { everyMs: 1_000 },
  'notifier.sweep-delivery-queues': { everyMs: 60_000 },
  'notifier.make-partitions': { everyMs: 3_600_000 },
  'notifier.expire-payloads': { everyMs: 600_000 },
  'offramp.check-deposits': { everyMs: 1_000 },
  'offramp.stale-alerts': { everyMs: 60_000 },
  'offramp.refresh-rates': { everyMs: 10_000 },
  'offramp.forget-quotes': { everyMs: 3_600_000 },
  'offramp.make-partitions': { everyMs: 3_600_000 },
  'checkout.judge-due': { everyMs: 1_000 },
  'checkout.page-orders': { everyMs: 60_000 },
  'checkout.make-partitions': { everyMs: 3_600_000 },
  'gateway.sweep-idempotency-keys': { everyMs: 60_000 },
  'gateway.make-partitions': { everyMs: 3_600_000 },
} as const satisfies Record<string, { readonly everyMs: number }>;

export type QueueName = keyof typeof QUEUES;
