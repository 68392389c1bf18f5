import { isOfOrder } from './check-order-webhooks.js';
import { isOfRefund } from './check-refund-webhooks.js';
import type { OutsideRules, OutsideView, Told } from '../outside-view.js';
import { TOLD } from '../sandbox-paths.js';
import { key } from '../../partner/sent-payout.js';
import type { StatusRow } from '../../partner/status-row.js';
import type { ReceivedWebhook, ToldCorrection } from '../../partner/webhook-receiver.js';

const RANK: Readonly<Record<string, number>> = { PENDING: 0, PROCESSING: 1, COMPLETE: 2, FAILED: 2, REVERSED: 3 };
const EVENTS: Readonly<Record<string, string>> = {
  PROCESSING: 'transaction.processing',
  COMPLETE: 'transaction.complete',
  FAILED: 'transaction.failed',
  REVERSED: 'transaction.reversed',
};

/** Each end was sent to its partner, signed and in order, and nothing else was sent. */
export function webhookFaults(
  { sent, webhooks }: OutsideView,
  told: readonly Told[],
  { everyWebhook = false }: OutsideRules,
): string[] {
  const faults = webhooks
    .filter(({ partner }) => partner === null)
    .map(({ id }) => `webhook ${id} is signed by nobody`);
  const byTransaction = groupBy(
    webhooks.filter((hook) => !isOfOrder(hook) && !isOfRefund(hook) && !isTest(hook)),
    ({ partner, payload }) => key({ partner: partner ?? 0, code: payload.transaction_code }),
  );
  const known = new Set(sent.map(key));
  for (const name of byTransaction.keys())
    if (!known.has(name)) faults.push(`a webhook tells of ${name}, which nobody sent`);
  const rows = new Map(told.map((one) => [key(one.sent), one]));
  for (const payout of sent) {
    const received = byTransaction.get(key(payout)) ?? [];
    const one = rows.get(key(payout));
    // An end caused by a control may supersede the "began" webhook (decisions.md section 6).
    const toldAll = everyWebhook && payout.controls.length === 0;
    if (one === undefined || payout.callback_url === undefined) {
      if (received.length > 0) faults.push(`${payout.code} was told to a URL it does not have, or does not exist`);
    } else
      faults.push(
        ...historyFaults(one, received, { toldAll, isUntold: payout.isUntold === true }).map(
          (fault) => `${payout.code}: ${fault}`,
        ),
      );
  }
  return faults;
}

function isTest({ event, payload }: ReceivedWebhook): boolean {
  return event === 'webhook.test' && payload.status === 'TEST' && /^test-\d+$/.test(payload.transaction_code);
}

interface Expected {
  readonly toldAll: boolean;
  readonly isUntold: boolean;
}

/** Webhooks that do not change the public status (decisions.md section 6). */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'transaction.held': ['PROCESSING'],
  'transaction.corrected': ['FAILED', 'REVERSED'],
};

const isBeside = ({ event }: ReceivedWebhook): boolean => event in BESIDE;

function historyFaults(one: Told, received: readonly ReceivedWebhook[], { toldAll, isUntold }: Expected): string[] {
  const { row, fate } = one;
  const faults: string[] = [];
  const bySequence = new Map<number, ReceivedWebhook>();
  for (const hook of received) {
    const earlier = bySequence.get(hook.sequence);
    if (earlier !== undefined && (earlier.rawBody !== hook.rawBody || earlier.id !== hook.id))
      faults.push(`webhook ${hook.sequence} came with two contents`);
    if (hook.id !== `${row.id}_${hook.sequence}`)
      faults.push(`webhook-id ${hook.id} is not ${row.id}_${hook.sequence}`);
    if (hook.event !== EVENTS[hook.payload.status] && BESIDE[hook.event]?.includes(hook.payload.status) !== true)
      faults.push(`x-vuka-event ${hook.event} with status ${hook.payload.status}`);
    bySequence.set(hook.sequence, hook);
  }
  const ordered = [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
  ordered.forEach((hook, index) => {
    const before = ordered[index - 1];
    if (before !== undefined && !(rankOf(before) < rankOf(hook)))
      faults.push(`went back from ${before.payload.status} to ${hook.payload.status}`);
  });
  if (isUntold) return faults;
  const changes = ordered.filter((hook) => !isBeside(hook));
  faults.push(...endTold(row, changes), ...correctionTold(one, ordered), ...heldTold(one, ordered, toldAll));
  if (!toldAll) return faults;
  const sequences = ordered.map((hook) => hook.sequence);
  // If one commit reports "began" and "held", only the second may be sent.
  const before = ordered[0]?.event === 'transaction.held' && ordered[0].sequence === 2 ? 1 : 0;
  if (sequences.some((sequence, index) => sequence !== index + 1 + before))
    faults.push(`webhooks ${sequences.join(', ')} are not 1, 2, …`);
  const [said, due] = [
    (before === 1 ? [...ordered.slice(0, 1), ...changes] : changes).map(({ payload }) => payload.status),
    TOLD[row.status as keyof typeof TOLD],
  ].map((statuses) => statuses.join(', '));
  const isToldAll = said === due || (fate !== null && fate.kind !== 'funds' && said === row.status);
  if (!isToldAll) faults.push(`was told ${String(said)}, and not ${String(due)}`);
  return faults;
}

/** The end was sent and matches the row; COMPLETE was sent before REVERSED. An open one has no end. */
function endTold(row: StatusRow, ordered: readonly ReceivedWebhook[]): string[] {
  const faults: string[] = [];
  const last = ordered.at(-1);
  const isOpen = row.status === 'PENDING' || row.status === 'PROCESSING';
  if (isOpen)
    return last !== undefined && rankOf(last) > 1
      ? [`is ${row.status}, and a webhook says ${last.payload.status}`]
      : [];
  if (last?.payload.status !== row.status)
    faults.push(`ended ${row.status}, and its last webhook says ${last?.payload.status ?? 'nothing, there is none'}`);
  else if (!tellsOf(last, row)) faults.push('its final webhook says something else than its row');
  if (row.status !== 'REVERSED') return faults;
  const complete = ordered.find(({ payload }) => payload.status === 'COMPLETE');
  if (complete === undefined) faults.push('came back, and was never told to be COMPLETE');
  else if (complete.payload.receipt_number !== row.receipt_number)
    faults.push('was told to be COMPLETE under another receipt');
  return faults;
}

/** If it was paid after all, the row's text differs. */
function tellsOf({ payload }: ReceivedWebhook, row: StatusRow): boolean {
  const { receipt_number = null, public_name = null, message, failure_code = '' } = payload;
  return (
    receipt_number === row.receipt_number &&
    public_name === row.public_name &&
    failure_code === row.failure_code &&
    (message === row.message || stands(row))
  );
}

const correctionOf = (row: StatusRow): ToldCorrection | null =>
  (row['correction'] as ToldCorrection | '' | undefined) || null;
const stands = (row: StatusRow): boolean => correctionOf(row)?.reason === 'paid_after_failure';

/** A payment after the end is on the row, and was sent once as a correction. */
function correctionTold({ row, expected }: Told, ordered: readonly ReceivedWebhook[]): string[] {
  const known = correctionOf(row);
  const told = ordered.filter(({ event }) => event === 'transaction.corrected');
  if (known === null) return told.length > 0 ? ['was told to be corrected, and its row says nothing'] : [];
  const [{ payload } = { payload: null }] = told;
  if (payload === null) return [`was paid after its end (${known.receipt_number}), and nobody was told`];
  if (told.length > 1) return [`was told to be corrected ${told.length} times`];
  const { correction } = payload;
  const isOf =
    correction?.reason === 'paid_after_failure' &&
    correction.amount === known.amount &&
    (correction.receipt_number === known.receipt_number || lateOf(expected) > 1);
  const saysMore = !stands(row) || payload.message === row.message;
  return isOf && saysMore && payload.status === row.status ? [] : ['was told another correction than its row has'];
}

const lateOf = ({ payments }: Told['expected']): number => payments.filter(({ late }) => late === true).length;

/** Only where screening marked the sender; may be superseded. */
function heldTold({ fate }: Told, ordered: readonly ReceivedWebhook[], toldAll: boolean): string[] {
  const times = ordered.filter(({ event }) => event === 'transaction.held').length;
  const isScreened = fate?.kind === 'funds' && fate.screened;
  if (times > (isScreened ? 1 : 0)) return [`was told to be held ${times} times`];
  return toldAll && isScreened && times === 0 ? ['is held, and nobody was told'] : [];
}

function rankOf({ event, payload }: ReceivedWebhook): number {
  return event === 'transaction.held' ? 1.5 : event === 'transaction.corrected' ? 4 : (RANK[payload.status] ?? -1);
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
