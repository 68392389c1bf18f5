import type { StatusRow } from './api-client.js';
import { isOfOrder } from './check-order-webhooks.js';
import type { OutsideRules, OutsideView, Told } from './outside-view.js';
import { TOLD } from './sandbox-roads.js';
import { key } from './sent-payout.js';
import type { ReceivedWebhook } from './webhook-receiver.js';

const RANK: Readonly<Record<string, number>> = { PENDING: 0, PROCESSING: 1, COMPLETE: 2, FAILED: 2, REVERSED: 3 };
const EVENTS: Readonly<Record<string, string>> = {
  PROCESSING: 'transaction.processing',
  COMPLETE: 'transaction.complete',
  FAILED: 'transaction.failed',
  REVERSED: 'transaction.reversed',
};

/** Each end was told to whom it belongs, signed, in order, and nothing else was. */
export function webhookFaults({ sent, webhooks }: OutsideView, told: readonly Told[], { everyWebhook = false }: OutsideRules): string[] {
  const faults = webhooks.filter(({ partner }) => partner === null).map(({ id }) => `webhook ${id} is signed by nobody`);
  const byTransaction = groupBy(webhooks.filter((hook) => !isOfOrder(hook) && !isTest(hook)), ({ partner, payload }) => key({ partner: partner ?? 0, code: payload.transaction_code }));
  const known = new Set(sent.map(key));
  for (const name of byTransaction.keys()) if (!known.has(name)) faults.push(`a webhook tells of ${name}, which nobody sent`);
  const rows = new Map(told.map((one) => [key(one.sent), one]));
  for (const payout of sent) {
    const received = byTransaction.get(key(payout)) ?? [];
    const one = rows.get(key(payout));
    // What a control ends at once may overtake the word that it began (decisions.md section 6: superseded).
    const toldAll = everyWebhook && payout.controls.length === 0;
    if (one === undefined || payout.callback_url === undefined) {
      if (received.length > 0) faults.push(`${payout.code} was told to a URL it does not have, or does not exist`);
    } else faults.push(...historyFaults(one, received, { toldAll, isUntold: payout.isUntold === true }).map((fault) => `${payout.code}: ${fault}`));
  }
  return faults;
}

/** A partner's own try of its endpoint: it tells of nothing. */
function isTest({ event, payload }: ReceivedWebhook): boolean {
  return event === 'webhook.test' && payload.status === 'TEST' && /^test-\d+$/.test(payload.transaction_code);
}

interface Expected {
  readonly toldAll: boolean;
  /** Its receiver was gone before its end. */
  readonly isUntold: boolean;
}

/** The webhooks of one transaction, against where it stands. */
function historyFaults({ row, fate }: Told, received: readonly ReceivedWebhook[], { toldAll, isUntold }: Expected): string[] {
  const faults: string[] = [];
  const bySequence = new Map<number, ReceivedWebhook>();
  for (const hook of received) {
    const earlier = bySequence.get(hook.sequence);
    if (earlier !== undefined && (earlier.rawBody !== hook.rawBody || earlier.id !== hook.id)) faults.push(`webhook ${hook.sequence} came with two contents`);
    if (hook.id !== `${row.id}_${hook.sequence}`) faults.push(`webhook-id ${hook.id} is not ${row.id}_${hook.sequence}`);
    if (hook.event !== EVENTS[hook.payload.status]) faults.push(`x-vuka-event ${hook.event} with status ${hook.payload.status}`);
    bySequence.set(hook.sequence, hook);
  }
  const ordered = [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
  ordered.forEach((hook, index) => {
    const before = ordered[index - 1];
    if (before !== undefined && !(rankOf(before) < rankOf(hook))) faults.push(`went back from ${before.payload.status} to ${hook.payload.status}`);
  });
  if (isUntold) return faults;
  faults.push(...endTold(row, ordered));
  if (!toldAll) return faults;
  const sequences = ordered.map((hook) => hook.sequence);
  if (sequences.some((sequence, index) => sequence !== index + 1)) faults.push(`webhooks ${sequences.join(', ')} are not 1, 2, …`);
  const [said, due] = [ordered.map(({ payload }) => payload.status), TOLD[row.status as keyof typeof TOLD]].map((statuses) => statuses.join(', '));
  // A pay may fail without its deposit ever having been seen.
  const isToldAll = said === due || (fate !== null && fate.kind !== 'funds' && said === row.status);
  if (!isToldAll) faults.push(`was told ${String(said)}, and not ${String(due)}`);
  return faults;
}

/** The final one surely, COMPLETE before REVERSED too, each with what the row says; of what is open no end was told. */
function endTold(row: StatusRow, ordered: readonly ReceivedWebhook[]): string[] {
  const faults: string[] = [];
  const last = ordered.at(-1);
  const isOpen = row.status === 'PENDING' || row.status === 'PROCESSING';
  if (isOpen) return last !== undefined && rankOf(last) > 1 ? [`is ${row.status}, and a webhook says ${last.payload.status}`] : [];
  if (last?.payload.status !== row.status) faults.push(`ended ${row.status}, and its last webhook says ${last?.payload.status ?? 'nothing, there is none'}`);
  else if (!tellsOf(last, row)) faults.push('its final webhook says something else than its row');
  if (row.status !== 'REVERSED') return faults;
  const complete = ordered.find(({ payload }) => payload.status === 'COMPLETE');
  if (complete === undefined) faults.push('came back, and was never told to be COMPLETE');
  else if (complete.payload.receipt_number !== row.receipt_number) faults.push('was told to be COMPLETE under another receipt');
  return faults;
}

function tellsOf({ payload }: ReceivedWebhook, row: StatusRow): boolean {
  return (payload.receipt_number ?? null) === row.receipt_number && (payload.public_name ?? null) === row.public_name && payload.message === row.message;
}

function rankOf(hook: ReceivedWebhook): number {
  return RANK[hook.payload.status] ?? -1;
}

function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
