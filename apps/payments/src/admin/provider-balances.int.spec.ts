import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { BalanceProvider, BalancesAnswer, ProviderAnswer, ProviderCapabilities } from '@vuka/payouts';

import { type MovementProposal, MoveFloat } from '../floats/index.js';
import { AMOUNT, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ProviderBalances, type ProviderBalanceView } from './provider-balances.js';

const PAID = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
} as const satisfies ProviderAnswer;
const NOT_FOUND: ProviderAnswer = { outcome: 'unknown', detail: 'no such id', notFound: true };
const MISMATCH: ProviderAnswer = { outcome: 'mismatch', detail: 'another amount' };

const AT = new Date('2026-11-28T10:00:00.000Z');

class TellingProvider extends ScriptedProvider implements BalanceProvider {
  balanceRules = { holdsOpening: false };
  answer: BalancesAnswer = { outcome: 'told', balances: [] };
  /** Runs during the query. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();

  async balances(): Promise<BalancesAnswer> {
    await this.meanwhile();
    return this.answer;
  }

  debits(debitsAt: ProviderCapabilities['debitsAt'], holdsOpening = false): void {
    Object.assign(this.promises, { debitsAt });
    this.balanceRules = { holdsOpening };
  }

  holds(minor: bigint, currency = 'KES', wallet = 'main'): this {
    this.answer = { outcome: 'told', balances: [{ wallet, amount: money(minor, currency), at: AT }] };
    return this;
  }
}

let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());
beforeEach(() =>
  pg.db.query(
    'truncate entries, postings, attempts, transactions, transitions, holds, accounts, duplicate_payment, incidents, float_movements cascade',
  ),
);

const harness = (...script: ProviderAnswer[]): { trip: Harness; provider: TellingProvider } => {
  const provider = new TellingProvider(script);
  return { trip: new Harness(pg, provider), provider };
};
const read = async (provider: TellingProvider): Promise<ProviderBalanceView | undefined> =>
  (await new ProviderBalances(pg.db, [provider]).read()).balances.find(({ currency }) => currency === 'KES');
const mayHold = async (provider: TellingProvider): Promise<unknown[]> => {
  const view = await read(provider.holds(0n));
  return [view?.least_minor, view?.most_minor];
};
const bounds = (view: ProviderBalanceView | undefined): unknown[] => [
  view?.told_minor,
  view?.least_minor,
  view?.most_minor,
];

describe('what a provider holds, against the ledger', () => {
  it('equals its opening balance minus its payments, to the unit', async () => {
    const { trip, provider } = harness(PAID);
    await trip.accepted();
    expect(bounds(await read(provider.holds(0n)))).toEqual([0n, 0n, 0n]);
    await trip.start();
    await trip.call('submit');
    expect(bounds(await read(provider.holds(-AMOUNT)))).toEqual([-AMOUNT, -AMOUNT, -AMOUNT]);
  });

  it('of a provider that knows its opening is all of that', async () => {
    const { trip, provider } = harness(PAID);
    provider.debits('acceptance', true);
    await (await trip.accepted()).start();
    await trip.call('submit');
    const [row] = await pg.db.query<{ minor: string }>(
      `select sum(e.amount_minor)::text as minor from entries e join accounts a on a.id = e.from_account where a.name = 'rail:sandbox:main:KES'`,
    );
    const opened = BigInt(row?.minor ?? 0);
    expect(opened).toBeGreaterThan(0n);
    expect(bounds(await read(provider.holds(opened - AMOUNT)))).toEqual([
      opened - AMOUNT,
      opened - AMOUNT,
      opened - AMOUNT,
    ]);
  });

  it('is what people put there, less what it paid and charged, to the unit', async () => {
    const fee = money(2_50n, 'KES');
    const { trip, provider } = harness({ ...PAID, fee });
    await (await trip.accepted()).start();
    await trip.call('submit');
    const floats = trip.partsWith().get(MoveFloat);
    const move = async (
      kind: MovementProposal['kind'],
      amount: string,
      named: Partial<MovementProposal>,
    ): Promise<void> => {
      const nothing = { provider: null, wallet: null, asset: null, tokens: null };
      const made = await floats.propose({
        kind,
        currency: 'KES',
        amount,
        ...nothing,
        ...named,
        evidence: 'line 9',
        by: 'Ann',
      });
      const id = made.ok ? made.value.id : 0;
      expect(await floats.approve({ movementId: id, reason: 'seen', by: 'Ben' })).toMatchObject({ ok: true });
    };
    await move('bank_funded', '900', {});
    await move('float_funded', '700', { provider: 'sandbox', wallet: 'main' });
    // Charged without being told.
    await move('provider_fee', '1.25', { provider: 'sandbox', wallet: 'main' });
    const holds = 700_00n - AMOUNT - fee.minor - 1_25n;
    expect(bounds(await read(provider.holds(holds)))).toEqual([holds, holds, holds]);
  });

  it('allows for payouts on their way, and says how much', async () => {
    const { trip, provider } = harness({ outcome: 'submitted' }, PAID);
    await (await trip.accepted()).start();
    await trip.call('submit');
    expect(await read(provider.holds(0n))).toMatchObject({
      least_minor: -AMOUNT,
      most_minor: 0n,
      under_way_minor: AMOUNT,
      in_review: 0,
    });
    provider.debits('acceptance');
    expect(await read(provider)).toMatchObject({ least_minor: -AMOUNT, most_minor: -AMOUNT, under_way_minor: AMOUNT });
  });

  it('of a provider that debits when it accepts is less by all that it has acknowledged, to the unit', async () => {
    const { trip, provider } = harness({ outcome: 'submitted' }, NOT_FOUND, PAID);
    provider.debits('acceptance');
    await (await trip.accepted()).start();
    await trip.call('submit');
    expect(await mayHold(provider)).toEqual([-AMOUNT, -AMOUNT]);
    // Forgotten by the provider, but acknowledged and so debited.
    trip.clock.advance(10_000);
    await trip.call('poll');
    expect(await mayHold(provider)).toEqual([-AMOUNT, -AMOUNT]);
    trip.clock.advance(10_000);
    await trip.call('poll');
    expect([await trip.state(), await mayHold(provider)]).toEqual(['COMPLETE', [-AMOUNT, -AMOUNT]]);
  });

  it.each(['acceptance', 'payment'] as const)(
    'leaves open what nobody has acknowledged (debited at %s), and not a unit beyond',
    async (debitsAt) => {
      const { trip, provider } = harness({ outcome: 'unknown', detail: 'a reset' });
      provider.debits(debitsAt);
      await (await trip.accepted()).start();
      expect(await mayHold(provider)).toEqual([0n, 0n]);
      await trip.claim('submit');
      expect(await mayHold(provider)).toEqual([-AMOUNT, 0n]);
    },
  );

  it('leaves open what a call came to that got no answer', async () => {
    const { trip, provider } = harness({ outcome: 'unknown', detail: 'a reset' });
    provider.debits('acceptance');
    await (await trip.accepted()).start();
    await trip.call('submit');
    expect(await mayHold(provider)).toEqual([-AMOUNT, 0n]);
  });

  it('of a provider that debits when it accepts holds while a payment is acknowledged, or ends', async () => {
    const { trip, provider } = harness({ outcome: 'submitted' }, PAID);
    provider.debits('acceptance');
    await (await trip.accepted()).start();
    provider.meanwhile = () => trip.call('submit');
    expect(bounds(await read(provider.holds(-AMOUNT)))).toEqual([-AMOUNT, -AMOUNT, 0n]);
    provider.meanwhile = () => {
      trip.clock.advance(10_000);
      return trip.call('poll');
    };
    expect(bounds(await read(provider))).toEqual([-AMOUNT, -AMOUNT, -AMOUNT]);
  });

  it('says how many payments are with people', async () => {
    const { trip, provider } = harness(MISMATCH);
    await (await trip.accepted()).start();
    await trip.call('submit');
    expect([await trip.state(), (await read(provider))?.in_review]).toEqual(['REVIEW', 1]);
  });

  it('holds for a payment that ends while the provider is asked', async () => {
    const { trip, provider } = harness({ outcome: 'submitted' }, PAID);
    await (await trip.accepted()).start();
    await trip.call('submit');
    provider.meanwhile = async () => {
      trip.clock.advance(10_000);
      await trip.call('poll');
    };
    expect(bounds(await read(provider.holds(-AMOUNT)))).toEqual([-AMOUNT, -AMOUNT, 0n]);
    expect(bounds(await read(provider))).toEqual([-AMOUNT, -AMOUNT, -AMOUNT]);
  });

  it('is held by each wallet of it by itself, at the time that its balance is of', async () => {
    const { trip, provider } = harness(PAID);
    provider.wallet = 'ke';
    await (await trip.accepted()).start();
    await trip.call('submit');
    provider.answer = {
      outcome: 'told',
      balances: [
        { wallet: 'main', amount: money(0n, 'KES'), at: AT },
        { wallet: 'ke', amount: money(-AMOUNT, 'KES'), country: 'KE', at: AT },
      ],
    };
    const { balances } = await new ProviderBalances(pg.db, [provider]).read();
    expect(balances.map((one) => [one.wallet, one.told_minor, one.least_minor, one.most_minor, one.told_at])).toEqual([
      ['ke', -AMOUNT, -AMOUNT, -AMOUNT, AT.toISOString()],
      ['main', 0n, 0n, 0n, AT.toISOString()],
    ]);
  });

  it('is told of currencies that only one of the two knows', async () => {
    const { trip, provider } = harness();
    await trip.accepted();
    const { balances } = await new ProviderBalances(pg.db, [provider.holds(-7n, 'NGN')]).read();
    expect(balances.map(({ currency, told_minor, most_minor }) => [currency, told_minor, most_minor])).toEqual([
      ['KES', 0n, 0n],
      ['NGN', -7n, 0n],
    ]);
  });

  it('is not read from a provider that is not configured here', async () => {
    const { trip } = harness();
    await trip.accepted();
    expect(await new ProviderBalances(pg.db, []).read()).toEqual({
      balances: [],
      not_read: [{ provider: 'sandbox', why: 'the provider is not configured here', is_away: false }],
    });
  });

  it('is not read if the provider does not answer or reports no balance', async () => {
    const { provider } = harness();
    provider.answer = { outcome: 'failed', detail: 'ECONNREFUSED' };
    expect(await new ProviderBalances(pg.db, [provider, new ScriptedProvider([], true, 'mute')]).read()).toEqual({
      balances: [],
      not_read: [
        { provider: 'mute', why: 'the provider does not report a balance', is_away: false },
        { provider: 'sandbox', why: 'ECONNREFUSED', is_away: true },
      ],
    });
  });
});
