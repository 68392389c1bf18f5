import { describe, expect, it } from '@jest/globals';

import { refundWebhookFaults } from './check-refund-webhooks.js';
import type { OutsideView, Told } from '../outside-view.js';
import type { Outflow } from '../../books/refund-outflows.js';
import type { ReceivedWebhook } from '../../partner/webhook-receiver.js';

const TO = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const LEFT: Outflow = { chain: 'CELO', hash: '0x2', to: TO.toLowerCase(), symbol: 'USDC', value: 7_000_000n };
const STATUSES = { held: 'PENDING', sent: 'PROCESSING', confirmed: 'COMPLETE', failed: 'FAILED' } as const;
type Step = keyof typeof STATUSES;

function hook(step: Step, sequence: number, more: object = {}, outer: Partial<ReceivedWebhook> = {}): ReceivedWebhook {
  const payload = {
    refund_id: 77,
    status: STATUSES[step],
    chain: 'CELO',
    asset: 'USDC',
    amount: '7.000000',
    address: TO,
    transaction_hash: '0xd1',
    refund_transaction_hash: /sent|confirmed/.test(step) ? '0xe2' : '',
    refund_of_transaction_code: 'short',
    message: 'm',
    ...(step === 'failed' && { reason: 'cancelled' }),
    ...more,
  } as unknown as ReceivedWebhook['payload'];
  return {
    path: '/hook',
    headers: {},
    rawBody: JSON.stringify(payload),
    payload,
    id: `77_${sequence}`,
    sequence,
    event: `refund.${step}`,
    partner: 1,
    ...outer,
  };
}

function faultsOf(
  refund: string,
  webhooks: readonly ReceivedWebhook[],
  { outflows = [LEFT], url = 'http://127.0.0.1:1/hook' }: { outflows?: Outflow[]; url?: string | null } = {},
): string {
  const sent = { partner: 1, code: 'short', ...(url !== null && { callback_url: url }) };
  const told = { sent, row: { status: 'FAILED', refund } } as unknown as Told;
  const view = { webhooks, sent: [sent], refunds: { asked: [], outflows } } as unknown as OutsideView;
  return refundWebhookFaults(view, [told]).join('\n');
}

const WHOLE = [hook('held', 1), hook('sent', 2), hook('confirmed', 3)];

describe('the check of what is told of refunds', () => {
  it.each<[string, string, ReceivedWebhook[], Outflow[]]>([
    ['every step', 'COMPLETE', WHOLE, [LEFT]],
    ['the same webhook twice', 'COMPLETE', [...WHOLE, hook('confirmed', 3)], [LEFT]],
    ['an end that overtook what was before it', 'COMPLETE', [hook('confirmed', 3)], [LEFT]],
    ['what is under way', 'PROCESSING', [hook('held', 1), hook('sent', 2)], [LEFT]],
    ['one that failed before it was sent', 'FAILED', [hook('held', 1), hook('failed', 2)], []],
    ['one that failed after that', 'FAILED', [hook('held', 1), hook('sent', 2), hook('failed', 3)], []],
    [
      'one that failed by a reversal, and was sent all the same',
      'COMPLETE',
      [hook('held', 1), hook('failed', 2), hook('sent', 4), hook('confirmed', 5)],
      [LEFT],
    ],
    ['nothing, where there is no refund', '', [], []],
  ])('takes %s', (_, refund, webhooks, outflows) => {
    expect(faultsOf(refund, webhooks, { outflows })).toBe('');
  });

  it('asks for no webhook where there is no URL', () => {
    expect(faultsOf('COMPLETE', [], { url: null })).toBe('');
  });

  it.each<[string, string, ReceivedWebhook[], RegExp]>([
    [
      'an end that was not told',
      'COMPLETE',
      [hook('held', 1), hook('sent', 2)],
      /short: its refund is COMPLETE, and refund.confirmed was not told/,
    ],
    ['a failure that was not told', 'FAILED', [hook('held', 1)], /refund.failed was not told/],
    ['two ends', 'COMPLETE', [...WHOLE, hook('failed', 4)], /refund 77: was told 1 held 2 sent 3 confirmed 4 failed/],
    [
      'an end told twice',
      'COMPLETE',
      [...WHOLE, hook('confirmed', 4)],
      /was told 1 held 2 sent 3 confirmed 4 confirmed/,
    ],
    [
      'steps out of order',
      'COMPLETE',
      [hook('sent', 1), hook('held', 2), hook('confirmed', 3)],
      /was told 1 sent 2 held/,
    ],
    [
      'two contents under one id',
      'COMPLETE',
      [...WHOLE, hook('held', 1, { message: 'n' })],
      /webhook 1 came with two contents/,
    ],
    [
      'a foreign id',
      'COMPLETE',
      [...WHOLE.slice(0, 2), hook('confirmed', 3, {}, { id: '78_3' })],
      /webhook-id 78_3 is not 77_3/,
    ],
    [
      'another status than its event',
      'COMPLETE',
      [...WHOLE.slice(0, 2), hook('confirmed', 3, {}, { event: 'refund.failed' })],
      /x-vuka-event refund.failed with status COMPLETE/,
    ],
    [
      'another amount on its way',
      'COMPLETE',
      [hook('held', 1, { amount: '1.000000' }), ...WHOLE.slice(1)],
      /has another amount/,
    ],
    [
      "a body that could be the payment's",
      'COMPLETE',
      [...WHOLE.slice(0, 2), hook('confirmed', 3, { transaction_code: 'short' })],
      /webhook 3 has another body/,
    ],
    [
      'a transfer without its name',
      'COMPLETE',
      [...WHOLE.slice(0, 2), hook('confirmed', 3, { refund_transaction_hash: '' })],
      /webhook 3 has another body/,
    ],
    [
      'a refund of what nobody sent',
      'COMPLETE',
      [...WHOLE, hook('held', 1, { refund_of_transaction_code: 'other', refund_id: 78 }, { id: '78_1' })],
      /webhook 78_1 tells of a refund of what nobody sent/,
    ],
    [
      'one told to another partner',
      'COMPLETE',
      WHOLE.map((one) => ({ ...one, partner: 2 })),
      /tells of a refund of what nobody sent[^]*refund.confirmed was not told/,
    ],
  ])('finds %s', (_, refund, webhooks, fault) => {
    expect(faultsOf(refund, webhooks)).toMatch(fault);
  });

  it('finds a refund told to be final that no chain has', () => {
    expect(faultsOf('COMPLETE', WHOLE, { outflows: [{ ...LEFT, value: 6_999_999n }] })).toMatch(
      /7000000 USDC to 0xab\w+ on CELO was told to be final, and left no refund wallet/,
    );
  });
});
