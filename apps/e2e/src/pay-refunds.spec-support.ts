import { beforeAll, describe, expect, it } from '@jest/globals';
import { atDepth, dataOf, drawn, testProfile, until } from '@vuka/testing';

import { diesAt, type DeathWish } from './crash-points.spec-support.js';
import type { PayFixture } from './pay-fixture.spec-support.js';
import { AMOUNT, expectRefused, Pays } from './pays.spec-support.js';
import { Refunds, type RefundAnswer } from './refunds.spec-support.js';
import { sideBySide, type Track } from './side-by-side.spec-support.js';

const IS_APART = testProfile() === 'distributed';
const FAMILIES = drawn('refunds families', ['CELO', 'BNB', 'SOLANA', 'STELLAR'] as const, IS_APART ? 2 : 4);
export const LITTLE = {
  CELO: ['7', 7_000_000n],
  BNB: ['7.000000000000000001', 7_000_000_000_000_000_001n],
  SOLANA: ['7', 7_000_000n],
  STELLAR: ['7.0000001', 70_000_001n],
} as const;
const WISHES = drawn<DeathWish>(
  'refunds places',
  [
    { point: 'offramp.before-sign', times: 1 },
    { point: 'offramp.after-sign', times: 1 },
    { point: 'offramp.after-broadcast', times: 1 },
  ],
  1,
);
/** Only separate services can die alone. Killing a whole stack twice per crash point would show nothing new. */
const ALL_DIE = !IS_APART || atDepth({ commit: false, whole: true });
const SENT_WITHIN_MS = 180_000;
/** Refunds made here: one per family, one race, one failed payout, three quotes, one per crash. */
export const SENT_BACK = FAMILIES.length + 1 + 1 + 3 + (ALL_DIE ? WISHES.length : 0);

let fixture: PayFixture;
let pays: Pays;
let refunds: Refunds;

const underpaid = (chain: keyof typeof LITTLE = 'CELO'): Promise<string> => pays.underpaid(LITTLE[chain][0], chain);

const familyTrack = (chain: (typeof FAMILIES)[number]): Track => ({
  [`that was used for nothing goes back on ${chain}, to whom it was asked for, to the unit and once`]: async () => {
    const hash = await underpaid(chain);
    const to = await refunds.newRecipient(chain);
    const asked = dataOf<RefundAnswer>(await refunds.ask(chain, hash, to));
    expect(asked).toMatchObject({ status: 'PENDING', chain, asset: 'USDC', refund_id: expect.any(Number) });
    const done = await refunds.stands('COMPLETE', chain, hash, to);
    expect(done.refund_id).toBe(asked.refund_id);
    await refunds.finalise(chain);
    expect(await refunds.received(chain, to)).toEqual([LITTLE[chain][1]]);
    expect(dataOf<RefundAnswer>(await refunds.ask(chain, hash, to)).refund_id).toBe(asked.refund_id);
  },
});

const tracks = (): readonly Track[] => [
  ...FAMILIES.map(familyTrack),
  {
    'goes back once, however many ask at once and wherever to': async () => {
      const hash = await underpaid();
      const to = await Promise.all([1, 2, 3, 4].map(() => refunds.newRecipient('CELO')));
      const answers = await Promise.all([...to, ...to].map((address) => refunds.ask('CELO', hash, address)));
      const taken = new Set(
        answers
          .filter(({ status }) => status === 200)
          .map((answer) => dataOf<RefundAnswer>(answer).address.toLowerCase()),
      );
      expect(taken.size).toBe(1);
      const [address = ''] = [...taken];
      await refunds.stands('COMPLETE', 'CELO', hash, address);
      const received = (await Promise.all(to.map((one) => refunds.received('CELO', one)))).flat();
      expect(received).toEqual([LITTLE.CELO[1]]);
    },
    'of another partner, or of nobody, is not there': async () => {
      const hash = await underpaid();
      const to = await refunds.newRecipient('CELO');
      expectRefused(await refunds.ask('CELO', hash, to, fixture.two), 404, 'not_found');
      expectRefused(await refunds.ask('CELO', `0x${'12'.repeat(32)}`, to), 404, 'not_found');
      for (const address of [
        await fixture.one.settlementAddress('CELO'),
        fixture.chain('CELO').addressOf('USDC'),
        '0x0000000000000000000000000000000000000000',
        'me',
      ]) {
        expectRefused(await refunds.ask('CELO', hash, address), 400, 'invalid_request');
      }
    },
  },
  {
    'that paid for something, or went to the wallet, is refused': async () => {
      const to = await refunds.newRecipient('CELO');
      for (const [number, status] of [
        ['7890', 'COMPLETE'],
        ['0000', 'FAILED'],
      ] as const) {
        const hash = await pays.deposit('8');
        await pays.ended(await pays.claim(hash, { number }), status);
        expectRefused(await refunds.ask('CELO', hash, to), 409, 'hash_already_processed');
      }
      expect(await refunds.received('CELO', to)).toEqual([]);
    },
    'of a payout that fails for good, with an address to send it back to, goes back, all of it, and its row says so':
      async () => {
        const to = await refunds.newRecipient('CELO');
        const code = await pays.claim(await pays.deposit('8.123456'), { number: '0001', refund_address: to });
        await pays.ended(code, 'FAILED');
        await until(
          async () => {
            await refunds.finalise('CELO');
            return (await fixture.one.status(code))?.['refund'] === 'COMPLETE';
          },
          { withinMs: 60_000, what: 'the refund is COMPLETE', everyMs: 250 },
        );
        expect(await refunds.received('CELO', to)).toEqual([8_123_456n]);
        expect(await pays.brought(code)).toBe(0n);
        const told = await until(
          () => {
            const hooks = fixture.receiver.ofRefundsOf(code);
            return hooks.some(({ event }) => event === 'refund.confirmed') && hooks;
          },
          { withinMs: 15_000, what: "the refund's end is told", everyMs: 100 },
        );
        expect(told.filter(({ event }) => event === 'refund.confirmed')).toMatchObject([
          {
            sequence: 3,
            payload: {
              status: 'COMPLETE',
              chain: 'CELO',
              asset: 'USDC',
              amount: '8.123456',
              refund_transaction_hash: expect.stringMatching(/^0x/),
              refund_of_transaction_code: code,
            },
          },
        ]);
        expect(told[0]).toMatchObject({ event: 'refund.held', sequence: 1, partner: fixture.one.partner.id });
        expect(fixture.receiver.of(code).at(-1)).toMatchObject({
          event: 'transaction.failed',
          payload: { failure_code: 'rail_rejected' },
        });
      },
    'that came beyond a quote goes back where it is asked for, and by itself where the payout fails and named an address':
      async () => {
        const to = (await Promise.all([1, 2].map(() => refunds.newRecipient('CELO')))) as [string, string];
        // It asks for 7.809054 USDC, and prices up to 0.01 more.
        const overpaid = async (more: Parameters<Pays['claim']>[1]): Promise<readonly [code: string, hash: string]> => {
          const quote = await fixture.one.quote('KES', { amount: AMOUNT, chain: 'CELO', asset: 'USDC' });
          const hash = await pays.deposit('20');
          return [await pays.claim(hash, { quote_id: quote.quote_id, ...more }), hash];
        };
        const [[paid, hash], [failed]] = [
          await overpaid({}),
          await overpaid({ number: '0001', refund_address: to[1] }),
        ];
        await pays.ended(paid, 'COMPLETE');
        expect(await pays.brought(paid)).toBe(128n);
        expect(dataOf<RefundAnswer>(await refunds.ask('CELO', hash, to[0]))).toMatchObject({
          asset: 'USDC',
          amount: '12.180946',
        });
        await refunds.stands('COMPLETE', 'CELO', hash, to[0]);
        expect(await refunds.received('CELO', to[0])).toEqual([12_180_946n]);
        await pays.ended(failed, 'FAILED');
        await until(
          async () => {
            await refunds.finalise('CELO');
            return (await refunds.received('CELO', to[1])).length === 2;
          },
          { withinMs: 60_000, what: 'both parts are back', everyMs: 250 },
        );
        expect(new Set(await refunds.received('CELO', to[1]))).toEqual(new Set([7_819_054n, 12_180_946n]));
        expect(await pays.brought(failed)).toBe(0n);
      },
  },
];

export function describeRefunds(at: () => PayFixture): void {
  beforeAll(() => {
    fixture = at();
    pays = new Pays(fixture);
    refunds = new Refunds(fixture);
  });

  sideBySide('value', tracks(), SENT_WITHIN_MS);

  (ALL_DIE ? describe : describe.skip)('the process dies while value goes back', () => {
    it.each(WISHES)(
      'at $point: it is there once',
      async (wish) => {
        const hash = await underpaid();
        const to = await refunds.newRecipient('CELO');
        await fixture.vuka.stop();
        await diesAt(fixture.vuka, wish, () => refunds.ask('CELO', hash, to).catch(() => undefined));
        await fixture.vuka.restart();
        await refunds.stands('COMPLETE', 'CELO', hash, to);
        expect(await refunds.received('CELO', to)).toEqual([LITTLE.CELO[1]]);
      },
      SENT_WITHIN_MS,
    );
  });
}
