import { rankOf, type ToldOrder } from '../check-orders.js';
import type { OutsideView } from '../outside-view.js';
import { orderKey } from '../../partner/sent-order.js';
import type { ReceivedWebhook } from '../../partner/webhook-receiver.js';

export function isOfOrder({ payload }: ReceivedWebhook): boolean {
  return payload.order_id !== undefined;
}

/** Each change of an order was sent to its partner: signed, in order, the end always, and nothing else. */
export function orderWebhookFaults(
  { orders, webhooks }: Pick<OutsideView, 'orders' | 'webhooks'>,
  told: readonly ToldOrder[],
): string[] {
  const all = webhooks.filter(isOfOrder);
  const nameOf = ({ partner, payload }: ReceivedWebhook): string =>
    orderKey({ partner: partner ?? 0, id: payload.order_id ?? '' });
  const known = new Set((orders?.sent ?? []).map(orderKey));
  const faults = [...new Set(all.map(nameOf))]
    .filter((name) => !known.has(name))
    .map((name) => `a webhook tells of ${name}, which nobody sent`);
  const numbers = new Map<string, string>();
  for (const one of told) {
    const { sent } = one;
    const received = all.filter((hook) => nameOf(hook) === orderKey(sent));
    if (!sent.isTold) {
      if (received.length > 0) faults.push(`order ${sent.id} was told, and nobody asked for it`);
      continue;
    }
    faults.push(...historyFaults(one, received).map((fault) => `order ${sent.id}: ${fault}`));
    const [number] = received.map(numberOf);
    if (number === undefined) continue;
    if (numbers.has(number))
      faults.push(`orders ${sent.id} and ${String(numbers.get(number))} are told under one number`);
    numbers.set(number, sent.id);
    const credit = orders?.credits.find(({ partner, row }) => partner === sent.partner && row['order_id'] === sent.id);
    if (credit !== undefined && String(credit.row.id) !== number)
      faults.push(`order ${sent.id} is told as ${number}, and credited as ${credit.row.id}`);
  }
  return faults;
}

function historyFaults({ row }: ToldOrder, received: readonly ReceivedWebhook[]): string[] {
  const faults: string[] = [];
  const bySequence = new Map<number, ReceivedWebhook>();
  for (const hook of received) {
    const earlier = bySequence.get(hook.sequence);
    if (earlier !== undefined && (earlier.rawBody !== hook.rawBody || earlier.id !== hook.id))
      faults.push(`webhook ${hook.sequence} came with two contents`);
    if (hook.id !== `${numberOf(received[0] ?? hook)}_${hook.sequence}` || !/^\d+_[1-9]\d*$/.test(hook.id))
      faults.push(`webhook-id ${hook.id} is no number of it`);
    if (hook.event !== `order.${hook.payload.status.toLowerCase()}`)
      faults.push(`x-vuka-event ${hook.event} with status ${hook.payload.status}`);
    if (Object.keys(hook.payload).sort().join() !== 'message,order_id,status' || hook.payload.message === '')
      faults.push(`webhook ${hook.sequence} has another body: ${hook.rawBody}`);
    bySequence.set(hook.sequence, hook);
  }
  const ordered = [...bySequence.values()].sort((one, other) => one.sequence - other.sequence);
  const said = ordered.map(({ payload }) => payload.status);
  said.forEach((status, index) => {
    if (index > 0 && rankOf(said[index - 1] ?? '') >= rankOf(status))
      faults.push(`went back from ${String(said[index - 1])} to ${status}`);
  });
  const last = said.at(-1);
  if (rankOf(row.status) < 2)
    return last !== undefined && rankOf(last) > 1
      ? [...faults, `is ${row.status}, and a webhook says ${last}`]
      : faults;
  if (last !== row.status)
    faults.push(`ended ${row.status}, and its last webhook says ${last ?? 'nothing, there is none'}`);
  // Later ones may be reported by the row alone.
  else if (row.status === 'COMPLETE' && row.reason === '' && ordered.at(-1)?.payload.message !== row.message)
    faults.push('its final webhook says something else than its row');
  const numbered = ordered.map(({ sequence, payload }) => `${sequence} ${payload.status}`).join(', ');
  return HISTORIES.has(numbered) ? faults : [...faults, `was told ${numbered || 'nothing'}`];
}

/**
 * COMPLETE needs a seen transfer, FAILED does not. "Seen" may be superseded if the transfer is final at once
 * (decisions.md section 6).
 */
const HISTORIES: ReadonlySet<string> = new Set([
  '1 PROCESSING, 2 COMPLETE',
  '2 COMPLETE',
  '1 FAILED',
  '1 PROCESSING, 2 FAILED',
  '2 FAILED',
]);

function numberOf({ id }: ReceivedWebhook): string {
  return id.split('_')[0] ?? '';
}
