/** What a capture must hold, so that a start on it meets every place where a build can have been killed. */
export function coverage(capture) {
  const { payments, notifier, gateway } = capture.services;
  const transactions = countBy(payments.tables.transactions, 'state');
  const attempts = countBy(payments.tables.attempts, 'state');
  const deliveries = countBy(notifier.tables.deliveries, 'state');
  const handled = new Set([...column(notifier.tables.inbox, 'event_id'), ...column(notifier.tables.dead_letters, 'event_id')]);
  const met = {
    ...pick(transactions, ['ACCEPTED', 'SUBMITTING', 'SUBMITTED', 'IN_DOUBT', 'QUEUED', 'REVIEW', 'COMPLETE', 'FAILED']),
    ...pick(attempts, ['INTENT', 'SENDING']),
    'webhooks not delivered': deliveries.pending ?? 0,
    'events not relayed': column(payments.tables.outbox, 'event_id').filter((id) => !handled.has(id)).length,
    'dead letters': notifier.tables.dead_letters.rows.length,
    'idempotency keys leased': column(gateway.tables.idempotency_keys, 'response').filter((response) => response === null).length,
    'requests without an answer': capture.memory.sent.filter(({ status }) => status === 0).length,
  };
  return { met, missing: Object.keys(met).filter((what) => met[what] === 0) };
}

function column({ columns, rows }, name) {
  const place = columns.findIndex(([each]) => each === name);
  return rows.map((row) => row[place]);
}

function countBy(table, name) {
  const counts = {};
  for (const value of column(table, name)) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const pick = (counts, names) => Object.fromEntries(names.map((name) => [name, counts[name] ?? 0]));
