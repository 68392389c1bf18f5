import { afterEach, describe, expect, it } from '@jest/globals';

import { SwitchCorridors } from '../../corridors/switch-corridors.js';
import { type Corridor, HONEST, TwoProviders } from './two-providers.spec-support.js';

/** Ghana has pawaPay and then Paystack, Malawi has pawaPay alone. */
const SECOND_MS = 1_000;
const NETWORKS = { GHS: 'MTN_MOMO_GHA', MWK: 'AIRTEL_MWI' } as const;

let two: TwoProviders;
afterEach(() => two.stop());

const wish = (currency: Corridor): Parameters<SwitchCorridors['switchOff']>[0] => ({
  provider: 'pawapay',
  currency,
  kind: null,
  network: null,
  reason: 'it times out, ticket 40',
  by: 'Ann Otieno',
});

interface Closing {
  readonly name: string;
  close(currency: keyof typeof NETWORKS): Promise<void>;
  open(currency: keyof typeof NETWORKS): Promise<void>;
}

const tells = async (currency: keyof typeof NETWORKS, status: 'CLOSED' | 'OPERATIONAL'): Promise<void> => {
  await two.pawapay.setProviderStatus(NETWORKS[currency], status);
  await two.readAvailability();
};
const CLOSINGS: readonly Closing[] = [
  {
    name: 'people have switched off',
    close: async (currency) => {
      expect(await two.live.get(SwitchCorridors).switchOff(wish(currency))).toMatchObject({ ok: true });
    },
    open: async (currency) => {
      expect(await two.live.get(SwitchCorridors).switchOn(wish(currency))).toMatchObject({ ok: true });
    },
  },
  {
    name: 'pawaPay calls closed',
    close: (currency) => tells(currency, 'CLOSED'),
    open: (currency) => tells(currency, 'OPERATIONAL'),
  },
];

describe.each(CLOSINGS)('a corridor of pawaPay that $name', ({ close, open }) => {
  it('goes the second way, and the first one again when it is open', async () => {
    two = await TwoProviders.start('pawapay', 'paystack');
    const [underWay = 0] = await two.acceptHonest('GHS', 1);
    await two.round(SECOND_MS);
    await close('GHS');
    await two.round(SECOND_MS);
    const meanwhile = await two.acceptHonest('GHS', 4);
    await two.rounds(3, 5 * SECOND_MS);
    expect(await two.ends([underWay, ...meanwhile])).toEqual([
      'COMPLETE by pawapay',
      ...meanwhile.map(() => 'COMPLETE by paystack'),
    ]);
    await open('GHS');
    await two.round(SECOND_MS);
    const afterwards = await two.acceptHonest('GHS', 4);
    await two.rounds(3, 5 * SECOND_MS);
    expect(await two.ends(afterwards)).toEqual(afterwards.map(() => 'COMPLETE by pawapay'));
    expect([two.pawapay.book().payouts.length, two.paystack.book().transfers.length]).toEqual([5, 4]);
  }, 60_000);

  it('makes payouts wait that have no second way, and wakes them when it is open', async () => {
    two = await TwoProviders.start('pawapay', 'paystack');
    await close('MWK');
    const waiting = await two.accept('MWK', [HONEST, HONEST]);
    await two.rounds(4, 15 * SECOND_MS);
    expect([await two.ends(waiting), two.pawapay.book().payouts]).toEqual([['QUEUED', 'QUEUED'], []]);
    await open('MWK');
    // Due now, and not at their next try.
    await two.round(SECOND_MS);
    expect(two.pawapay.book().payouts.length).toBe(2);
    await two.rounds(2, 5 * SECOND_MS);
    expect(await two.ends(waiting)).toEqual(['COMPLETE by pawapay', 'COMPLETE by pawapay']);
  }, 60_000);
});
