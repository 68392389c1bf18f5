import { describe, expect, it } from '@jest/globals';

import type { ProviderReply } from '../../provider-http.js';
import { readBalances } from './sandbox-balance.js';

const sums = (more: object = {}) => ({ currency: 'KES', paid_out: '12.50', came_back: '0', in_process: '3', ...more });
const AT = new Date('2026-11-28T10:00:00.000Z');
const json = (body: unknown, status = 200): ProviderReply => ({ kind: 'json', status, body });

describe('the balances of a sandbox provider', () => {
  it('are read to the unit', () => {
    expect(
      readBalances(json({ currencies: [sums(), sums({ currency: 'UGX', paid_out: '7', came_back: '9.00' })] }), AT),
    ).toEqual({
      outcome: 'told',
      balances: [
        { wallet: 'main', amount: { currency: 'KES', minor: -1_250n }, at: AT },
        { wallet: 'main', amount: { currency: 'UGX', minor: 2n }, at: AT },
      ],
    });
  });

  it.each<[string, ProviderReply]>([
    ['no answer', { kind: 'no_answer', detail: 'ECONNRESET' }],
    ['a refusal', json({ code: 'UNAUTHORIZED' }, 401)],
    ['another shape', json({ currencies: [{ currency: 'KES' }] })],
    ['no object', json(null)],
    ['an amount finer than its currency', json({ currencies: [sums({ currency: 'UGX', paid_out: '1.50' })] })],
    ['a negative sum', json({ currencies: [sums({ paid_out: '-1' })] })],
    ['a currency of nobody', json({ currencies: [sums({ currency: 'ZZZ' })] })],
    ['one currency twice', json({ currencies: [sums(), sums()] })],
  ])('are not told by %s', (_what, reply) => {
    expect(readBalances(reply, AT)).toEqual({ outcome: 'failed', detail: expect.any(String) });
  });
});
