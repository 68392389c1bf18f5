import { describe, expect, it } from '@jest/globals';
import type { HoldingsView } from '@vuka/offramp';
import type { ChainAccountsView } from '@vuka/payments';

import { judgeChains, unreadAccounts } from './judge-chains.js';

const GIVEN = 10n ** 15n;
const ASSET = 'USDC@CELO';
const holding = {
  chain: 'CELO',
  asset: ASSET,
  decimals: 6,
  height: 90,
  addresses: 3,
  held_minor: GIVEN + 70n,
  unrecorded_minor: 0n,
  endowment_minor: GIVEN,
  funded_minor: null,
};
const movement = (id: number, amount_minor: bigint, on_chain: boolean) => ({
  id,
  chain: 'CELO',
  asset: ASSET,
  amount_minor,
  on_chain,
});

/** 100 came in, 30 went back. */
const LEDGER: ChainAccountsView = {
  accounts: [{ chain: 'CELO', asset: ASSET, held_minor: 70n }],
  deposits: [1, 2],
  refunds: [8],
};
const CHAIN: Omit<HoldingsView, 'not_read'> = {
  holdings: [holding],
  deposits: [movement(1, 60n, true), movement(2, 40n, true)],
  refunds: [movement(8, 30n, true)],
};

const held = (by: bigint, more: Partial<typeof holding> = {}): Pick<HoldingsView, 'holdings'> => ({
  holdings: [{ ...holding, held_minor: holding.held_minor + by, ...more }],
});
const difference = (chain: Partial<HoldingsView> = {}, ledger: Partial<ChainAccountsView> = {}): bigint | undefined =>
  judgeChains({ ...CHAIN, ...chain }, { ...LEDGER, ...ledger })[0]?.difference_minor;

describe('what our addresses hold, against the ledger', () => {
  it('equals the chain balance of the ledger plus the endowment of the sandbox wallet', () => {
    expect(judgeChains(CHAIN, LEDGER)).toEqual([
      {
        chain: 'CELO',
        asset: ASSET,
        decimals: 6,
        height: 90,
        held_minor: GIVEN + 70n,
        unrecorded_minor: 0n,
        ledger_minor: 70n,
        under_way_minor: 0n,
        given_minor: GIVEN,
        difference_minor: 0n,
      },
    ]);
    expect(difference({ holdings: [{ ...holding, held_minor: 70n }] })).toBe(0n);
  });

  it.each<[string, bigint]>([
    ['a unit short', -1n],
    ['a unit too many', 1n],
    ['short by a deposit', -60n],
  ])('differs where the chain is %s', (_what, by) => {
    expect(difference(held(by))).toBe(by);
  });

  it('differs if something is missing and the sandbox gave nothing', () => {
    expect(difference({ holdings: [{ ...holding, held_minor: 69n }] })).toBe(-1n);
  });

  it('counts incoming transfers that are not in the ledger yet', () => {
    expect(difference(held(25n, { unrecorded_minor: 25n }))).toBe(0n);
    expect(difference({ ...held(5n), deposits: [...CHAIN.deposits, movement(3, 5n, true)] })).toBe(0n);
    expect(difference({ ...held(5n) })).toBe(5n);
  });

  it('counts deposits of the ledger that the chain has reverted, or has in a later block', () => {
    expect(difference({ ...held(-40n), deposits: [movement(1, 60n, true), movement(2, 40n, false)] })).toBe(0n);
    expect(difference(held(-40n))).toBe(-40n);
  });

  it('counts refunds that are in a block and not final in the ledger', () => {
    expect(difference({ ...held(-7n), refunds: [...CHAIN.refunds, movement(9, 7n, true)] })).toBe(0n);
    expect(difference(held(-7n))).toBe(-7n);
  });

  it('accepts a balance above the ledger where people fund the wallets, but never one below it', () => {
    const live = { ...holding, endowment_minor: null };
    const [more] = judgeChains({ ...CHAIN, holdings: [{ ...live, held_minor: 75n }] }, LEDGER);
    expect(more).toMatchObject({ given_minor: 5n, difference_minor: 0n });
    expect(difference({ holdings: [{ ...live, held_minor: 69n }] })).toBe(-1n);
  });

  it('trusts exactly the funding that people wrote down: one unit too many or too few is found', () => {
    const live = { ...holding, endowment_minor: null, funded_minor: 1_000n };
    for (const by of [-1_070n, -1_000n, -1n, 0n, 1n])
      expect(difference({ holdings: [{ ...live, held_minor: 1_070n + by }] })).toBe(by);
    for (const by of [-1n, 0n, 1n])
      expect(difference({ holdings: [{ ...live, funded_minor: 0n, held_minor: 70n + by }] })).toBe(by);
  });

  it('names accounts whose balance was not read', () => {
    const ledger = {
      ...LEDGER,
      accounts: [
        ...LEDGER.accounts,
        { chain: 'BNB', asset: 'USDT@BNB', held_minor: 5n },
        { chain: 'CELO', asset: 'CUSD@CELO', held_minor: 1n },
        { chain: 'BASE', asset: 'USDC@BASE', held_minor: 0n },
      ],
    };
    expect(unreadAccounts({ ...CHAIN, not_read: [{ chain: 'BNB', why: 'down', is_away: true }] }, ledger)).toEqual([
      { chain: 'CELO', why: 'the balance of CUSD@CELO was not read', is_away: true },
    ]);
    expect(unreadAccounts({ ...CHAIN, not_read: [] }, ledger)).toContainEqual({
      chain: 'BNB',
      why: 'the balance of USDT@BNB was not read',
      is_away: false,
    });
  });
});
