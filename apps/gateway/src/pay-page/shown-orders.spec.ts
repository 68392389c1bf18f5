import { describe, expect, it } from '@jest/globals';
import type { OrderView } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import { newCallContext } from '@vuka/http';
import { ManualClock, ServiceUnavailableError } from '@vuka/runtime';

import { limitsOf, silentLog } from '../testing/gateway.spec-support.js';
import { madeUpOrder, PAGE_TOKEN } from './made-up-order.spec-support.js';
import { MOST_KNOWN, ShownOrders } from './shown-orders.js';

/** checkout knows tokens with the right beginning; others get `answer`. */
function shown(answer: () => Promise<Result<OrderView>> = async () => ok(madeUpOrder())) {
  const clock = new ManualClock(new Date(0));
  const asked: string[] = [];
  const checkout = {
    orderByToken: ({ page_token }: { page_token: string }): Promise<Result<OrderView>> => (
      asked.push(page_token),
      page_token.startsWith('unknown')
        ? Promise.resolve(fail({ code: 'not_found', message: 'No such order' }))
        : answer()
    ),
  };
  const orders = new ShownOrders(checkout, limitsOf({}, clock), clock, silentLog);
  const look = (token = PAGE_TOKEN, address = '192.0.2.1'): Promise<Result<OrderView>> =>
    orders.look(token, { address, context: newCallContext() });
  return { clock, asked, look };
}

const codeOf = (result: Result<OrderView>): string => (result.ok ? 'shown' : result.error.code);

describe('orders that are looked at', () => {
  it('cost one call a second, for any number of viewers', async () => {
    const { clock, asked, look } = shown();
    await Promise.all(Array.from({ length: 50 }, () => look()));
    expect(asked).toHaveLength(1);
    clock.advance(999);
    await look();
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await Promise.all(Array.from({ length: 50 }, () => look()));
    expect(asked).toHaveLength(2);
  });

  it('are read again after an outage, and old data is never shown as new', async () => {
    let away = false;
    const { clock, look } = shown(() =>
      away ? Promise.reject(new ServiceUnavailableError('checkout', 'it is away')) : Promise.resolve(ok(madeUpOrder())),
    );
    expect(codeOf(await look())).toBe('shown');
    away = true;
    clock.advance(1_000);
    expect([codeOf(await look()), codeOf(await look())]).toEqual(['service_unavailable', 'service_unavailable']);
    away = false;
    expect(codeOf(await look())).toBe('shown');
  });

  it.each([
    '',
    'short',
    'x'.repeat(65),
    'with spaces and more of',
    'unicode-ünïcode-aaaaaaaa',
    '../../../../../../etc/x',
    `${'a'.repeat(30)}\n`,
  ])('do not answer to %j, which costs no question', async (token) => {
    const { asked, look } = shown();
    expect([codeOf(await look(token)), asked]).toEqual(['not_found', []]);
  });

  it('refuse an address that tries too many tokens, but no real payer at it', async () => {
    const { asked, look } = shown();
    expect(codeOf(await look())).toBe('shown');
    const answers = [];
    for (let i = 0; i < 520; i++) answers.push(codeOf(await look(`unknown_token_number_${String(i)}`)));
    expect([
      answers.filter((code) => code === 'not_found').length,
      answers.filter((code) => code === 'rate_limited').length,
    ]).toEqual([499, 21]);
    expect(asked).toHaveLength(500);
    // A refusal has a retry time. A known token and another address still pass.
    expect(await look('unknown_token_number_0')).toMatchObject({
      error: { retryAfterS: 1, limit: { name: 'pay-page', ratePerS: 50, burst: 500 } },
    });
    expect(codeOf(await look())).toBe('shown');
    expect(codeOf(await look('another_token_that_opens', '192.0.2.2'))).toBe('shown');
  });

  it('are dropped if there are too many, oldest first', async () => {
    const { clock, asked, look } = shown();
    for (let i = 0; i <= MOST_KNOWN; i++) {
      await look(`token_of_an_order_${String(i).padStart(6, '0')}`);
      clock.advance(20);
    }
    const before = asked.length;
    await look(`token_of_an_order_${String(MOST_KNOWN).padStart(6, '0')}`);
    expect(asked).toHaveLength(before);
    await look('token_of_an_order_000000');
    expect(asked).toHaveLength(before + 1);
  });
});
