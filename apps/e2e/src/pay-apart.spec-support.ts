import { beforeAll, describe, expect, it } from '@jest/globals';
import { StackProcess, testProfile, until } from '@vuka/testing';

import type { PayFixture } from './pay-fixture.spec-support.js';
import { LITTLE } from './pay-refunds.spec-support.js';
import { expectRefused, Pays } from './pays.spec-support.js';
import { Refunds } from './refunds.spec-support.js';

const IS_APART = testProfile() === 'distributed';
const AGAIN_WITHIN_MS = 90_000;
const QUOTED = { path: '/v1/quote/kes', body: { amount: 1000, chain: 'CELO', asset: 'USDC' } };
/** Refunds made by these tests. */
export const SENT_BACK_APART = IS_APART ? 2 : 0;

/** Services die alone only if they run apart; crash-points-pay covers the embedded profile. */
export function describeApart(at: () => PayFixture): void {
  let fixture: PayFixture;
  let pays: Pays;
  let refunds: Refunds;

  const stack = (): StackProcess => {
    if (!(fixture.vuka instanceof StackProcess)) throw new Error('this profile has no process of offramp');
    return fixture.vuka;
  };

  const deposits = async (count: number): Promise<readonly string[]> => {
    const hashes = await Promise.all(Array.from({ length: count }, () => pays.deposit('8', { mine: false })));
    await pays.celo.mineToFinality();
    return hashes;
  };

  beforeAll(() => {
    fixture = at();
    [pays, refunds] = [new Pays(fixture), new Refunds(fixture)];
  });

  (IS_APART ? describe : describe.skip)('offramp alone (distributed profile)', () => {
    it('is away: pays are accepted, wait, and are paid when it is back; what needs it says so', async () => {
      const { one } = fixture;
      const hashes = await deposits(6);
      await stack().stopMember('offramp');
      const codes = await Promise.all(hashes.map((hash) => pays.claim(hash)));
      expect(new Set((await Promise.all(codes.map((code) => one.status(code)))).map((row) => row?.status))).toEqual(
        new Set(['PENDING']),
      );
      expectRefused(await one.send(QUOTED), 503, 'service_unavailable');
      expectRefused(await pays.ask(hashes[0] ?? ''), 409, 'hash_already_processed');
      await stack().startMember('offramp');
      for (const code of codes) await pays.ended(code, 'COMPLETE', one, 60_000);
      await until(async () => (await one.send(QUOTED)).status === 200, {
        withinMs: 60_000,
        what: 'quotes are given again',
        everyMs: 200,
      });
    }, 180_000);

    it('is killed while claims come in and value goes back: it loses none, pays none twice, and what was on its way into the chain or to be final is there once', async () => {
      const hashes = await deposits(8);
      const back = [await pays.underpaid(LITTLE.CELO[0]), await pays.underpaid(LITTLE.CELO[0])] as const;
      const to = [await refunds.newRecipient('CELO'), await refunds.newRecipient('CELO')] as const;
      await stack().isWhole();
      await refunds.reaches('PROCESSING', 'CELO', back[0], to[0]);
      const [before] = await Promise.all([
        Promise.all(hashes.slice(0, 4).map((hash) => pays.claim(hash))),
        refunds.ask('CELO', back[1], to[1]),
      ]);
      await stack().killMember('offramp');
      const after = await Promise.all(hashes.slice(4).map((hash) => pays.claim(hash)));
      // Its work is repeated when its lease lapses.
      for (const code of [...before, ...after]) await pays.ended(code, 'COMPLETE', fixture.one, AGAIN_WITHIN_MS);
      await stack().isWhole();
      for (const [index, hash] of back.entries()) {
        await refunds.stands('COMPLETE', 'CELO', hash, to[index] ?? '');
        expect(await refunds.received('CELO', to[index] ?? '')).toEqual([LITTLE.CELO[1]]);
      }
    }, 240_000);
  });
}
