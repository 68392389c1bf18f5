import { expect } from '@jest/globals';
import { dataOf, until, type StatusRow } from '@vuka/testing';

import type { PayFixture } from './pay-fixture.spec-support.js';
import { Pays } from './pays.spec-support.js';
import { Refunds } from './refunds.spec-support.js';
import type { Track } from './side-by-side.spec-support.js';

/** Providers may still pay for so long after a failure, so no refund is granted during these tests. */
export const REFUND_WAITS = { VUKA_TEST_REFUND_SAFE_MS: String(30 * 60_000) };

const FOLLOWS_WITHIN_MS = 60_000;
/** Eight dollars at the day's rate, and what the payout takes. */
const [WORTH, PAID] = [102_445n, 100_000n];

/**
 * A failed pay waits for its refund, but the provider pays after all: the value may leave only once. Uses the second
 * partner's wallet, which nothing else changes.
 */
export function overtakenTrack(at: () => PayFixture): Track {
  const correctedTo = (code: string, reason: string): Promise<StatusRow> =>
    until(
      async () => {
        const row = await at().two.status(code);
        return (row?.['correction'] as { reason?: string } | undefined)?.reason === reason && row;
      },
      { withinMs: FOLLOWS_WITHIN_MS, what: `${code} is ${reason}`, everyMs: 200 },
    );

  const overtaken = async (): Promise<{
    readonly code: string;
    readonly row: StatusRow;
    readonly failed: StatusRow;
    readonly to: string;
  }> => {
    const fixture = at();
    const [pays, to] = [new Pays(fixture), await new Refunds(fixture).newRecipient('CELO')];
    const code = await pays.claim(
      await pays.deposit('8', { client: fixture.two }),
      { number: '0001', refund_address: to },
      fixture.two,
    );
    const failed = await pays.ended(code, 'FAILED', fixture.two);
    expect([failed.failure_code, failed['refund'], await pays.brought(code, 'KES', fixture.two)]).toEqual([
      'rail_rejected',
      'PENDING',
      0n,
    ]);
    expect(dataOf<{ done: boolean }>(await fixture.two.control(code, 'pay')).done).toBe(true);
    return { code, failed, to, row: await correctedTo(code, 'paid_after_failure') };
  };

  const hooksOf = async (code: string): Promise<string[]> => {
    const { receiver } = at();
    await until(() => receiver.of(code).length === 3 && receiver.ofRefundsOf(code).length === 2, {
      withinMs: FOLLOWS_WITHIN_MS,
      what: 'it is told',
      everyMs: 100,
    });
    return [...receiver.of(code), ...receiver.ofRefundsOf(code)].map(({ event }) => event);
  };
  const TOLD = [
    'transaction.processing',
    'transaction.failed',
    'transaction.corrected',
    'refund.held',
    'refund.failed',
  ];

  return {
    'of a pay that failed, and was paid before its value went back, has paid for it: nothing is sent, nobody owes':
      async () => {
        const { code, failed, row, to } = await overtaken();
        const correction = {
          reason: 'paid_after_failure',
          receipt_number: expect.stringMatching(/./),
          amount: '1000.00',
          at: expect.stringMatching(/Z$/),
        };
        expect(row).toEqual({
          ...failed,
          correction,
          refund: 'FAILED',
          message: expect.stringContaining('nothing is sent back'),
          updated_at: expect.anything(),
        });
        expect(await new Pays(at()).brought(code, 'KES', at().two)).toBe(WORTH - PAID);
        expect(await hooksOf(code)).toEqual(TOLD);
        expect(await new Refunds(at()).received('CELO', to)).toEqual([]);
      },
    'of a pay that failed, and whose late payment came back as well, is in the wallet': async () => {
      const { code, row, to } = await overtaken();
      expect(dataOf<{ done: boolean }>(await at().two.control(code, 'reverse')).done).toBe(true);
      const back = await correctedTo(code, 'reversed_after_failure');
      expect([back.status, back['refund'], (back['correction'] as { receipt_number: string }).receipt_number]).toEqual([
        'FAILED',
        'FAILED',
        (row['correction'] as { receipt_number: string }).receipt_number,
      ]);
      expect(await new Pays(at()).brought(code, 'KES', at().two)).toBe(WORTH);
      expect(await hooksOf(code)).toEqual(TOLD);
      expect(await new Refunds(at()).received('CELO', to)).toEqual([]);
    },
  };
}
