import { describe, expect, it } from '@jest/globals';
import type { HoldingsView } from '@vuka/offramp';
import type { ChainAccountsView, ProviderBalancesView } from '@vuka/payments';
import { type DepositRecord, fail, money, ok } from '@vuka/domain';
import { AdminRefusedError } from '@vuka/http';
import { ServiceUnavailableError } from '@vuka/runtime';

import {
  CHAINS_RULE,
  DEPOSITS_RULE,
  PROVIDERS_RULE,
  standingChecks,
  type StandingParts,
  type StandingView,
} from './standing-checks.js';

const HOLDING = {
  chain: 'CELO',
  asset: 'USDC@CELO',
  decimals: 6,
  height: 9,
  addresses: 1,
  held_minor: 70_000_000n,
  unrecorded_minor: 0n,
  endowment_minor: null,
  funded_minor: null,
};
const CHAINS: HoldingsView = { holdings: [HOLDING], deposits: [], refunds: [], not_read: [] };
const LEDGER: ChainAccountsView = {
  accounts: [{ chain: 'CELO', asset: 'USDC@CELO', held_minor: 70_000_000n }],
  deposits: [],
  refunds: [],
};
const PROVIDER = {
  provider: 'sandbox',
  wallet: 'main',
  currency: 'KES',
  told_minor: -500n,
  told_at: '2026-11-28T10:00:00.000Z',
  least_minor: -500n,
  most_minor: -500n,
  under_way_minor: 0n,
  in_review: 0,
};
const PROVIDERS: ProviderBalancesView = { balances: [PROVIDER], not_read: [] };

const shortBy = (minor: bigint): HoldingsView => ({
  ...CHAINS,
  holdings: [{ ...HOLDING, held_minor: HOLDING.held_minor - minor }],
});
const paidMore = (minor: bigint): ProviderBalancesView => ({
  balances: [{ ...PROVIDER, told_minor: PROVIDER.told_minor - minor }],
  not_read: [],
});

interface Script {
  /** Deposits that the ledger has and offramp has not. */
  readonly unbacked?: readonly DepositRecord[];
  readonly freeze?: (wish: { partnerId: number; reason: string; by: string }) => Promise<unknown>;
  readonly chains?: readonly (HoldingsView | Error)[];
  readonly providers?: readonly (ProviderBalancesView | Error)[];
  readonly isRunning?: boolean;
}

/** The last answer repeats. */
async function run({
  chains = [CHAINS],
  providers = [PROVIDERS],
  isRunning = true,
  unbacked = [],
  freeze = () => Promise.reject(new Error('nobody is to be frozen')),
}: Script = {}): Promise<{
  view: StandingView;
  waitedMs: number;
  asked: string[];
}> {
  const asked: string[] = [];
  const answers = { chains: [...chains], providers: [...providers] };
  const next = <T>(what: keyof typeof answers, list: (T | Error)[]): Promise<T> => {
    asked.push(what);
    const answer = (list.length > 1 ? list.shift() : list[0]) as T | Error;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const none = { depositsAfter: () => Promise.resolve([]), depositsNamed: () => Promise.resolve([]) };
  const services = {
    offramp: { ...none, chainHoldings: () => next('chains', answers.chains) },
    payments: {
      depositsAfter: () => Promise.resolve(unbacked),
      depositsNamed: () => Promise.resolve(unbacked),
      freeze,
      chainAccounts: () => Promise.resolve(LEDGER),
      providerBalances: () => next('providers', answers.providers),
    },
  } as unknown as StandingParts['services'];
  let waitedMs = 0;
  const view = await standingChecks({
    services,
    isRunning,
    by: 'Ann Otieno',
    pause: (ms) => Promise.resolve((waitedMs += ms)),
  });
  return { view, waitedMs, asked };
}

const brokenIn = ({ checks }: StandingView, rule: string): readonly unknown[] | undefined =>
  checks.find((check) => check.rule === rule)?.broken;

describe('the standing checks with the outside', () => {
  it('are three, and do not wait if the first comparison is sound', async () => {
    const { view, waitedMs } = await run();
    expect(view).toEqual({
      checks: [DEPOSITS_RULE, CHAINS_RULE, PROVIDERS_RULE].map((rule) => ({ rule, broken: [] })),
      not_read: [],
      deposits_under_way: 0,
    });
    expect(waitedMs).toBe(0);
  });

  const credited = (depositId: number, partnerId: number, state = 'credited'): DepositRecord => ({
    depositId, partnerId, state, chain: 'CELO', received: money(1_000_000n, 'USDC@CELO'), changedAt: new Date(0),
  }); // prettier-ignore

  it('freeze the partner of a credit that no deposit is behind, once, and say so', async () => {
    const wishes: unknown[] = [];
    const freeze = async (wish: { partnerId: number }): Promise<unknown> => {
      wishes.push(wish);
      return wish.partnerId === 8 ? fail({ code: 'invalid_request', message: 'frozen already' }) : ok({});
    };
    const unbacked = [credited(1, 7), credited(2, 7), credited(3, 8), credited(4, 9, 'reverted')];
    const { view } = await run({ unbacked, freeze });
    expect(wishes).toEqual([
      { partnerId: 7, reason: 'The ledger has deposit 1, and offramp has none', by: 'Ann Otieno' },
      { partnerId: 8, reason: 'The ledger has deposit 3, and offramp has none', by: 'Ann Otieno' },
    ]);
    expect(brokenIn(view, DEPOSITS_RULE)).toMatchObject([
      { deposit_id: 1, partner: 7, payouts: 'frozen' },
      { deposit_id: 2, partner: 7, payouts: 'frozen' },
      { deposit_id: 3, partner: 8, payouts: 'was_frozen' },
      { deposit_id: 4 },
    ]);
  });

  it('say where the caller may not freeze, and freeze nobody where the services are stopped', async () => {
    const freeze = () => Promise.reject(new AdminRefusedError({ code: 'forbidden', message: 'not yours' }));
    const { view } = await run({ unbacked: [credited(1, 7)], freeze });
    expect(brokenIn(view, DEPOSITS_RULE)).toMatchObject([{ deposit_id: 1, partner: 7, payouts: 'not_frozen' }]);
    const { view: stopped } = await run({ unbacked: [credited(1, 7)], isRunning: false });
    expect(brokenIn(stopped, DEPOSITS_RULE)).toEqual([{ deposit_id: 1, what: expect.any(String) }]);
  });

  it('find a chain that is short by one minor unit, and show each part of the sum', async () => {
    const { view } = await run({ chains: [shortBy(1n)] });
    expect(brokenIn(view, CHAINS_RULE)).toEqual([
      {
        chain: 'CELO',
        asset: 'USDC@CELO',
        height: 9,
        difference: '-0.000001',
        on_chain: '69.999999',
        ledger: '70.000000',
        not_in_ledger: '0.000000',
        under_way: '0.000000',
        given: '0.000000',
      },
    ]);
  });

  it('find a provider that has paid more than the ledger knows of', async () => {
    const { view } = await run({ providers: [paidMore(1n)] });
    expect(brokenIn(view, PROVIDERS_RULE)).toEqual([
      {
        provider: 'sandbox',
        wallet: 'main',
        currency: 'KES',
        difference: '-0.01',
        told: '-5.01',
        told_at: '2026-11-28T10:00:00.000Z',
        least: '-5.00',
        most: '-5.00',
        under_way: '0.00',
      },
    ]);
  });

  it('compare a difference again, and call it sound if it was only on its way', async () => {
    const { view, waitedMs, asked } = await run({
      chains: [shortBy(5n), shortBy(2n), CHAINS],
      providers: [paidMore(1n), PROVIDERS],
    });
    expect([brokenIn(view, CHAINS_RULE), brokenIn(view, PROVIDERS_RULE)]).toEqual([[], []]);
    expect([asked.filter((what) => what === 'chains').length, waitedMs > 0]).toEqual([3, true]);
  });

  it('never call something sound that was not read', async () => {
    const away = new ServiceUnavailableError('offramp', 'down');
    const { view } = await run({
      chains: [away],
      providers: [{ balances: [], not_read: [{ provider: 'sandbox', why: 'ECONNREFUSED', is_away: true }] }],
    });
    expect(view.checks.map(({ rule }) => rule)).toEqual([DEPOSITS_RULE]);
    expect(view.not_read).toEqual([
      { what: CHAINS_RULE, why: away.message, is_away: true },
      { what: 'provider sandbox', why: 'ECONNREFUSED', is_away: true },
    ]);
  });

  it('try again what is away, but not what cannot be asked from here', async () => {
    const silent = { provider: 'mute', why: 'the provider does not report a balance', is_away: false };
    const away = { provider: 'sandbox', why: 'ECONNREFUSED', is_away: true };
    const { view, asked } = await run({
      providers: [
        { balances: [], not_read: [away, silent] },
        { ...PROVIDERS, not_read: [silent] },
      ],
    });
    expect([
      view.not_read,
      brokenIn(view, PROVIDERS_RULE),
      asked.filter((what) => what === 'providers').length,
    ]).toEqual([[{ what: 'provider mute', why: silent.why, is_away: false }], [], 2]);
    expect((await run({ providers: [{ ...PROVIDERS, not_read: [silent] }] })).waitedMs).toBe(0);
  });

  it('find a provider that is off by a unit in either direction, whichever way it debits', async () => {
    for (const most_minor of [-700n, -600n, -500n]) {
      const provider = { ...PROVIDER, least_minor: -700n, most_minor, under_way_minor: 200n };
      for (const [told_minor, difference] of [
        [-701n, '-0.01'],
        [most_minor + 1n, '0.01'],
      ] as const) {
        const { view } = await run({ providers: [{ balances: [{ ...provider, told_minor }], not_read: [] }] });
        expect(brokenIn(view, PROVIDERS_RULE)).toEqual([expect.objectContaining({ provider: 'sandbox', difference })]);
      }
    }
  });

  it('judge the chains that were read when another chain was not', async () => {
    const { view } = await run({
      chains: [{ ...shortBy(1n), not_read: [{ chain: 'BNB', why: 'trouble', is_away: true }] }],
    });
    expect([brokenIn(view, CHAINS_RULE)?.length, view.not_read]).toEqual([
      1,
      [{ what: 'the addresses on BNB', why: 'trouble', is_away: true }],
    ]);
  });

  it('do not judge a provider by payments that are in review', async () => {
    const { view, waitedMs } = await run({
      providers: [{ balances: [{ ...PROVIDER, told_minor: -600n, in_review: 2 }], not_read: [] }],
    });
    expect([brokenIn(view, PROVIDERS_RULE), view.not_read.map(({ is_away }) => is_away), waitedMs]).toEqual([
      undefined,
      [false],
      0,
    ]);
  });

  it('ask neither chains nor providers while the services are stopped', async () => {
    const { view, asked } = await run({ isRunning: false });
    expect([
      asked,
      view.checks.map(({ rule }) => rule),
      view.not_read.map(({ what, is_away }) => [what, is_away]),
    ]).toEqual([
      [],
      [DEPOSITS_RULE],
      [
        [CHAINS_RULE, false],
        [PROVIDERS_RULE, false],
      ],
    ]);
  });
});
