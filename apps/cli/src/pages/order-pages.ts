import type { OpenOrderView, OrderPage } from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { CALL } from '../commands/help.js';
import { moneyText, relativeText, timeText } from './text-values.js';
import { stepLines } from './trouble-lines.js';

export function ordersPage(orders: readonly OpenOrderView[], more: boolean, now: Date, paint: Paint): string {
  if (orders.length === 0) return paint.green('No order is open.');
  const table = textTable(
    [
      { title: 'order' },
      { title: 'partner' },
      { title: 'order_id', atMost: 40 },
      { title: 'pays with' },
      { title: 'state' },
      { title: 'end' },
      { title: 'why' },
    ],
    orders.map((order) => [
      String(order.order_number),
      String(order.partner_id),
      oneLine(order.order_id),
      `${order.asset}@${order.network}`,
      order.state,
      relativeText(order.expires_at, now),
      order.stuck ? paint.red(`stuck: ${order.why}`) : order.why,
    ]),
    paint,
  );
  const stuck = orders.find((order) => order.stuck);
  return [
    ...table,
    ...(more ? [paint.dim('and more, which are later')] : []),
    ...(stuck === undefined
      ? []
      : stepLines([`${CALL} show ${String(stuck.order_number)}`, `${CALL} dead-letters`], paint)),
  ].join('\n');
}

export function orderPage(order: OrderPage, now: Date, paint: Paint): string {
  const state = order.reason === '' ? order.state : `${order.state} (${order.reason})`;
  const facts: [string, string | null][] = [
    ['due', `${moneyText(order.due)}, at ${order.rate}`],
    ['to', oneLine(order.address)],
    ['credited by', order.state === 'COMPLETE' ? oneLine(order.transaction_code) : null],
    ['message', oneLine(order.message)],
    ['made', `${timeText(order.created_at)} (${relativeText(order.created_at, now)})`],
    ['end', `${timeText(order.expires_at)} (${relativeText(order.expires_at, now)})`],
    [
      'looked through',
      order.passed_at === null
        ? 'not read past its end yet'
        : `read past its end, ${relativeText(order.passed_at, now)}`,
    ],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const colour = order.state === 'COMPLETE' ? paint.green : order.state === 'FAILED' ? paint.red : paint.yellow;
  const lines = [
    `${paint.bold(oneLine(order.order_id))}   ${moneyText(order.amount)}   ${paint.bold(colour(state))}   ${paint.dim(`partner ${String(order.partner_id)}, order ${String(order.order_number)}`)}`,
    ...facts.flatMap(([name, text]) => (text === null ? [] : [`  ${paint.dim(name.padEnd(width))}  ${text}`])),
    '',
    paint.bold('History'),
    ...textTable(
      [{ title: '#', align: 'right' }, { title: 'at' }, { title: 'to' }, { title: 'by' }, { title: '' }],
      order.transitions.map(({ sequence, at, to, event, detail }) => [
        String(sequence),
        timeText(at),
        to,
        event,
        oneLine(detail),
      ]),
      paint,
    ).map((line) => `  ${line}`),
  ];
  if (order.deposits.length === 0) return lines.join('\n');
  const deposits = textTable(
    [
      { title: 'deposit' },
      { title: 'value', align: 'right' },
      { title: 'state' },
      { title: 'block' },
      { title: 'used', align: 'right' },
      { title: 'credited', align: 'right' },
      { title: 'transaction' },
    ],
    order.deposits.map(
      ({ deposit_id: id, received, state: stands, block_time: at, used, credited, transaction_hash: hash }) => [
        id === null ? '' : String(id),
        moneyText(received),
        stands,
        timeText(at),
        used === null ? '' : used.amount,
        credited === null ? '' : moneyText(credited),
        oneLine(hash),
      ],
    ),
    paint,
  );
  return [...lines, '', paint.bold('Deposits'), ...deposits.map((line) => `  ${line}`)].join('\n');
}
