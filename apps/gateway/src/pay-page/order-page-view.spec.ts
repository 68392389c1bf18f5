import { describe, expect, it } from '@jest/globals';
import { money, chainNamed, shortfallTolerated } from '@vuka/domain';
import fc from 'fast-check';

import { madeUpOrder } from './made-up-order.spec-support.js';
import { orderPageView, type Phase } from './order-page-view.js';

const IN_TIME = new Date('2026-11-21T12:01:12Z');
const AT_THE_END = new Date('2026-11-21T12:07:00Z');

const phaseOf = (changes: Parameters<typeof madeUpOrder>[0], now = IN_TIME): Phase =>
  orderPageView(madeUpOrder(changes), now).phase;

describe('where an order stands', () => {
  it.each<[Phase, Phase, Parameters<typeof madeUpOrder>[0]]>([
    ['waiting', 'checking', {}],
    ['lost', 'checking', { status: 'PROCESSING' }],
    ['short', 'checking', { status: 'PROCESSING', received_minor: '1' }],
    ['short', 'checking', { status: 'PENDING', received_minor: '11584846' }],
    ['seen', 'seen', { status: 'PROCESSING', received_minor: '11584848' }],
    ['seen', 'seen', { status: 'PROCESSING', received_minor: '99999999' }],
    ['paid', 'paid', { status: 'COMPLETE', received_minor: '11596444' }],
    ['overpaid', 'overpaid', { status: 'COMPLETE', reason: 'overpaid', received_minor: '12596444' }],
    ['expired', 'expired', { status: 'FAILED', reason: 'expired' }],
    ['underpaid', 'underpaid', { status: 'FAILED', reason: 'underpaid', received_minor: '5' }],
    ['late', 'late', { status: 'FAILED', reason: 'late' }],
    ['wrong_asset', 'wrong_asset', { status: 'FAILED', reason: 'wrong_asset' }],
    ['wrong_network', 'wrong_network', { status: 'FAILED', reason: 'wrong_network' }],
  ])('%s, and when the time is up %s', (inTime, over, changes) => {
    expect([phaseOf(changes), phaseOf(changes, AT_THE_END)]).toEqual([inTime, over]);
  });

  it('shows the address only while the order can be paid', () => {
    const status = fc.constantFrom('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED');
    const reason = fc.constantFrom('', 'expired', 'underpaid', 'overpaid', 'late', 'wrong_asset', 'wrong_network');
    fc.assert(
      fc.property(
        status,
        reason,
        fc.bigInt({ min: 0n, max: 30_000_000n }),
        fc.integer({ min: 0, max: 3_000_000 }),
        (state, why, received, afterMs) => {
          const order = madeUpOrder({ status: state, reason: why, received_minor: String(received) });
          const view = orderPageView(order, new Date(Date.parse(order.created_at) + afterMs));
          const isOpen =
            (state === 'PENDING' || state === 'PROCESSING') &&
            afterMs < 420_000 &&
            received < 11_596_444n - shortfallTolerated(money(11_596_444n, 'USDC@BASE'), { decimals: 6 }).minor;
          expect(view.payable !== null).toBe(isOpen);
          expect(view.secondsLeft).toBe(Math.max(0, Math.ceil((420_000 - afterMs) / 1_000)));
        },
      ),
    );
  });

  it('polls only while something may change', () => {
    const polls = (changes: Parameters<typeof madeUpOrder>[0], now = IN_TIME): number =>
      orderPageView(madeUpOrder(changes), now).pollAfterS;
    expect([polls({}), polls({}, AT_THE_END), polls({ status: 'PROCESSING', received_minor: '11596444' })]).toEqual([
      3, 3, 3,
    ]);
    expect([polls({ status: 'COMPLETE' }), polls({ status: 'FAILED', reason: 'late' })]).toEqual([0, 0]);
    const expired = { status: 'FAILED', reason: 'expired' } as const;
    expect([polls(expired, AT_THE_END), polls(expired, new Date('2026-11-21T13:07:01Z'))]).toEqual([30, 0]);
  });
});

describe('amounts', () => {
  it('are the amount still to pay, as a wallet reads it from the code', () => {
    const { payable } = orderPageView(madeUpOrder(), IN_TIME);
    expect(payable).toMatchObject({
      amount: '11.596444',
      uri: expect.stringMatching(
        /^ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453\/transfer\?.*uint256=11596444$/,
      ),
    });
    const rest = orderPageView(madeUpOrder({ status: 'PROCESSING', received_minor: '8000000' }), IN_TIME);
    expect(rest.payable).toMatchObject({ amount: '3.596444', uri: expect.stringMatching(/uint256=3596444$/) });
    expect([rest.due, rest.received, rest.missing, rest.surplus]).toEqual(['11.596444', '8.00', '3.596444', '0']);
  });

  it('have six decimals at most and cover what is due, by less than a millionth more; the code has the same', () => {
    const bnb = chainNamed('BNB')?.tokens.find(({ symbol, enabled }) => symbol === 'USDC' && enabled);
    if (bnb === undefined) throw new Error('there is no such token');
    expect(bnb.decimals).toBe(18);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 24n }), (due) => {
        const { payable } = orderPageView(
          madeUpOrder({ network: 'BNB', token: bnb.address, decimals: 18, due_minor: String(due) }),
          IN_TIME,
        );
        // Up to 0.01 token may be missing, so such a small amount is not due.
        if (payable === null) return expect(due <= 10n ** 16n).toBe(true);
        const [whole = '', fraction = ''] = payable.amount.split('.');
        expect(fraction.length).toBeGreaterThanOrEqual(2);
        expect(fraction.length).toBeLessThanOrEqual(6);
        const shown = BigInt(whole + fraction.padEnd(18, '0'));
        expect(shown - due).toBeGreaterThanOrEqual(0n);
        expect(shown - due).toBeLessThan(10n ** 12n);
        expect(payable.uri.endsWith(`uint256=${String(shown)}`)).toBe(true);
      }),
    );
  });

  it('are the same for what was due and what came of it, and else never tell more to have arrived than did', () => {
    expect(
      orderPageView(
        madeUpOrder({ decimals: 18, due_minor: '1999999000000000001', received_minor: '1999999000000000001' }),
        IN_TIME,
      ),
    ).toMatchObject({ due: '2.00', received: '2.00', missing: '0', surplus: '0' });
    expect(
      orderPageView(
        madeUpOrder({ decimals: 18, due_minor: '5000000000000000000', received_minor: '1999999999999999999' }),
        IN_TIME,
      ).received,
    ).toBe('1.999999');
    expect(
      orderPageView(madeUpOrder({ status: 'COMPLETE', reason: 'overpaid', received_minor: '12600000' }), IN_TIME)
        .surplus,
    ).toBe('1.003556');
  });

  it('of fiat are whole where they are', () => {
    expect(orderPageView(madeUpOrder({ amount_minor: '123456789' }), IN_TIME)).toMatchObject({
      fiat: '1,234,567.89',
      currency: 'KES',
      rate: '129.35',
    });
    expect(orderPageView(madeUpOrder({ currency: 'UGX', amount_minor: '5000' }), IN_TIME).fiat).toBe('5,000');
  });
});

it('names the network as wallets do', () => {
  expect(orderPageView(madeUpOrder(), IN_TIME)).toMatchObject({ network: 'Base', feeCoin: 'ETH' });
  // An unknown network of a newer release: nobody is asked to pay.
  expect(orderPageView(madeUpOrder({ network: 'NEWNET' }), IN_TIME)).toMatchObject({
    network: 'NEWNET',
    feeCoin: '',
    payable: null,
  });
});
