import { describe, expect, it } from '@jest/globals';

import type { ProviderReply } from '../../provider-http.js';
import { readBalances } from './balances.js';
import { json } from './shapes.spec-support.js';

const AT = new Date('2026-08-02T12:00:00Z');
const told = (...data: unknown[]) => json(200, { status: 'success', message: 'Balances fetched', data });
const birr = (available_balance: unknown) => ({ currency: 'ETB', available_balance, ledger_balance: 999_999 });

describe('balances', () => {
  it('are what may be transferred, in birr', () => {
    const dollars = { currency: 'USD', available_balance: 50, ledger_balance: 50 };
    expect(readBalances(told(dollars, birr(1000.5)), AT)).toEqual({
      outcome: 'told',
      balances: [{ wallet: 'main', amount: { minor: 100_050n, currency: 'ETB' }, at: AT }],
    });
  });

  it.each([
    ['1000', 100_000n],
    ['1000.1000000000001', 100_010n],
    [1000.009, 100_000n],
    [-0.001, -1n],
    [-5, -500n],
    [0, 0n],
  ])('of %j are %s, rounded down', (written, minor) => {
    expect(readBalances(told(birr(written)), AT)).toMatchObject({ balances: [{ amount: { minor } }] });
  });

  it.each<[string, ProviderReply]>([
    ['none in birr', told({ currency: 'USD', available_balance: 1 })],
    ['two in birr', told(birr(1), birr(2))],
    ['a sum with an exponent', told(birr('1e9'))],
    ['a sum that is none', told(birr(null))],
    ['a failure', json(200, { status: 'failed', data: [birr(1)] })],
    ['another status of HTTP', json(401, { status: 'success', data: [birr(1)] })],
    ['no answer', { kind: 'no_answer', detail: 'HTTP 500' }],
  ])('are not told: %s', (_title, reply) => {
    expect(readBalances(reply, AT)).toMatchObject({ outcome: 'failed' });
  });
});
