import { describe, expect, it } from '@jest/globals';

import type { SentPayout } from '../../partner/sent-payout.js';
import type { ReceivedWebhook } from '../../partner/webhook-receiver.js';
import { checkOutside } from '../check-outside.js';
import { asked, corrected, hook, LATE, row, SENT, sound, told } from '../check-outside.spec-support.js';
import { expectationOf } from '../expectation.js';
import type { OutsideView, Told } from '../outside-view.js';
import { webhookFaults } from './check-webhooks.js';

describe('the check from outside', () => {
  it.each<[string, Partial<OutsideView>, RegExp]>([
    ['an end that was not told', told('paid', hook('paid', 1, 'PROCESSING')), /its last webhook says PROCESSING/],
    ['silence', told('paid'), /nothing, there is none/],
    [
      'a REVERSED whose COMPLETE was not told',
      told('back', hook('back', 1, 'PROCESSING'), hook('back', 3, 'REVERSED')),
      /back: came back, and was never told to be COMPLETE/,
    ],
    [
      'a COMPLETE under another receipt',
      told('back', hook('back', 2, 'COMPLETE', { receipt_number: 'R9' }), hook('back', 3, 'REVERSED')),
      /told to be COMPLETE under another receipt/,
    ],
    [
      'a COMPLETE whose REVERSED was not told',
      told('back', hook('back', 1, 'PROCESSING'), hook('back', 2, 'COMPLETE')),
      /ended REVERSED, and its last webhook says COMPLETE/,
    ],
    [
      'an end told of what is open',
      told('held', hook('held', 1, 'PROCESSING'), hook('held', 2, 'COMPLETE')),
      /held: is PROCESSING, and a webhook says COMPLETE/,
    ],
    [
      'a status that goes back',
      told('paid', hook('paid', 1, 'COMPLETE'), hook('paid', 2, 'COMPLETE')),
      /went back from COMPLETE to COMPLETE/,
    ],
    [
      'one that changed its end',
      told('late', hook('late', 1, 'COMPLETE'), hook('late', 2, 'FAILED')),
      /went back from COMPLETE to FAILED/,
    ],
    ['a gap', told('paid', hook('paid', 2, 'COMPLETE')), /webhooks 2 are not 1, 2/],
    ['one that is missing at the end', told('held'), /held: was told , and not PROCESSING/],
    [
      'two contents under one id',
      told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 1, 'PENDING'), hook('paid', 2, 'COMPLETE')),
      /came with two contents/,
    ],
    [
      'a foreign id',
      told('paid', { ...hook('paid', 1, 'PROCESSING'), id: '99_1' }, hook('paid', 2, 'COMPLETE')),
      /webhook-id 99_1 is not 7_1/,
    ],
    [
      'another event',
      told('paid', hook('paid', 1, 'PROCESSING'), { ...hook('paid', 2, 'COMPLETE'), event: 'order.complete' }),
      /x-vuka-event order.complete with status COMPLETE/,
    ],
    [
      'a signature of nobody',
      told('paid', hook('paid', 1, 'PROCESSING'), { ...hook('paid', 2, 'COMPLETE'), partner: null }),
      /signed by nobody/,
    ],
    [
      'a signature of another partner',
      told('paid', hook('paid', 1, 'PROCESSING'), { ...hook('paid', 2, 'COMPLETE'), partner: 2 }),
      /tells of 2 paid, which nobody sent/,
    ],
    [
      'a webhook nobody asked for',
      asked('paid', { callback_url: undefined } as unknown as SentPayout),
      /told to a URL it does not have/,
    ],
    [
      'a FAILED without its code',
      told('failed', hook('failed', 1, 'PROCESSING'), hook('failed', 2, 'FAILED', { failure_code: undefined })),
      /failed: its final webhook says something else/,
    ],
    [
      'a correction that nobody was told',
      told('late', hook('late', 1, 'PROCESSING'), hook('late', 2, 'FAILED')),
      /late: was paid after its end \(R-late\), and nobody was told/,
    ],
    [
      'a correction told twice',
      told(
        'late',
        hook('late', 1, 'PROCESSING'),
        hook('late', 2, 'FAILED'),
        corrected('late', 3, 'FAILED'),
        corrected('late', 4, 'FAILED'),
      ),
      /late: was told to be corrected 2 times/,
    ],
    [
      'another correction',
      told(
        'late',
        hook('late', 1, 'PROCESSING'),
        hook('late', 2, 'FAILED'),
        corrected('late', 3, 'FAILED', { ...LATE, amount: '1.00' }),
      ),
      /late: was told another correction/,
    ],
    [
      'a correction of another receipt',
      told(
        'late',
        hook('late', 1, 'PROCESSING'),
        hook('late', 2, 'FAILED'),
        corrected('late', 3, 'FAILED', { ...LATE, receipt_number: 'R-paid' }),
      ),
      /late: was told another correction/,
    ],
    [
      'a correction told with another status',
      told('late', hook('late', 1, 'PROCESSING'), hook('late', 2, 'FAILED'), corrected('late', 3, 'REVERSED')),
      /late: was told another correction/,
    ],
    [
      'a correction of a COMPLETE',
      told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE'), corrected('paid', 3, 'COMPLETE')),
      /x-vuka-event transaction.corrected with status COMPLETE/,
    ],
    [
      'a correction in place of the end',
      told('late', hook('late', 1, 'PROCESSING'), corrected('late', 2, 'FAILED')),
      /late: ended FAILED, and its last webhook says PROCESSING/,
    ],
    [
      'a correction of what was not paid',
      told('failed', hook('failed', 1, 'PROCESSING'), hook('failed', 2, 'FAILED'), corrected('failed', 3, 'FAILED')),
      /failed: was told to be corrected, and its row says nothing/,
    ],
    [
      'a payment told to be held that nobody looks at',
      told(
        'paid',
        hook('paid', 1, 'PROCESSING'),
        { ...hook('paid', 2, 'PROCESSING'), event: 'transaction.held' },
        hook('paid', 3, 'COMPLETE'),
      ),
      /paid: was told to be held 1 times/,
    ],
    [
      'a final webhook that says something else',
      told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE', { receipt_number: 'R9' })),
      /says something else/,
    ],
  ])('the webhooks: %s', (_, change, fault) => {
    expect(checkOutside(sound(change), { everyWebhook: true }).join('\n')).toMatch(fault);
  });

  it('takes a FAILED with its code, and with no other', () => {
    const without = (code: string | undefined) =>
      sound(told('failed', hook('failed', 1, 'PROCESSING'), hook('failed', 2, 'FAILED', { failure_code: code })));
    for (const code of [undefined, 'cancelled'])
      expect(checkOutside(without(code)).join('\n')).toMatch(/failed: its final webhook says something else/);
  });

  it('lets a non-final webhook be overtaken where it may be', () => {
    expect(checkOutside(sound(told('paid', hook('paid', 2, 'COMPLETE'))))).toEqual([]);
  });
});

describe('the check of webhooks', () => {
  it('leaves untold what goes to a receiver that is gone, and nothing else', () => {
    const gone = { ...asked('paid', { isUntold: true }), ...told('paid', hook('paid', 1, 'PROCESSING')) };
    expect(checkOutside(sound(gone))).toEqual([]);
    expect(checkOutside(sound({ ...gone, ...asked('failed', { isUntold: true }) })).join('\n')).toMatch(
      /paid: ended COMPLETE/,
    );
  });

  it('lets a partner try its endpoint, signed as all else', () => {
    const ping = {
      ...hook('paid', 1, 'TEST', { transaction_code: 'test-1' }),
      id: '7000000000000000_1',
      event: 'webhook.test',
    };
    const [all] = [sound().webhooks];
    expect(checkOutside(sound({ webhooks: [...all, ping] }))).toEqual([]);
    expect(checkOutside(sound({ webhooks: [...all, { ...ping, partner: null }] })).join('\n')).toMatch(
      /signed by nobody/,
    );
    expect(checkOutside(sound({ webhooks: [...all, { ...ping, event: 'transaction.complete' }] })).join('\n')).toMatch(
      /tells of 1 test-1, which nobody sent/,
    );
  });
});

describe('the check of what is told of a payment that people look at', () => {
  const held = (sequence: number): ReceivedWebhook => ({
    ...hook('paid', sequence, 'PROCESSING'),
    event: 'transaction.held',
  });
  const faultsOf = (screened: boolean, ...webhooks: ReceivedWebhook[]): string => {
    const one = {
      sent: SENT.paid,
      row: row('paid'),
      expected: expectationOf(SENT.paid),
      fate: { kind: 'funds', screened },
      vanished: null,
    } as unknown as Told;
    return webhookFaults({ ...sound(), sent: [SENT.paid], webhooks }, [one], { everyWebhook: true }).join('\n');
  };

  it('wants it to be told, beside that it is under way or in its place', () => {
    expect(faultsOf(true, hook('paid', 1, 'PROCESSING'), held(2), hook('paid', 3, 'COMPLETE'))).toBe('');
    expect(faultsOf(true, held(2), hook('paid', 3, 'COMPLETE'))).toBe('');
    expect(faultsOf(true, hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE'))).toMatch(
      /is held, and nobody was told/,
    );
    expect(faultsOf(true, hook('paid', 1, 'PROCESSING'), held(2), held(3), hook('paid', 4, 'COMPLETE'))).toMatch(
      /told to be held 2 times/,
    );
    expect(faultsOf(false, hook('paid', 1, 'PROCESSING'), held(2), hook('paid', 3, 'COMPLETE'))).toMatch(
      /told to be held 1 times/,
    );
    expect(faultsOf(true, held(3), hook('paid', 4, 'COMPLETE'))).toMatch(/webhooks 3, 4 are not 1, 2/);
  });
});
