import { describe, expect, it } from '@jest/globals';
import { acceptedTokens, CHAINS, chainNamed, type Chain } from '@vuka/domain';
import { ChainAdmin } from '@vuka/offramp';
import { ManualClock } from '@vuka/runtime';
import { plainPaint } from '@vuka/terminal';

import { switchesPage, unclaimedPage } from './pages/chain-pages.js';

const NOW = new Date('2026-11-20T10:00:00.000Z');
const AN_HOUR_AGO = new Date(NOW.getTime() - 3_600_000);
const CELO = chainNamed('CELO') as Chain;
const USDC = acceptedTokens(CELO).find(({ symbol }) => symbol === 'USDC')!;
const NOT_ACCEPTED = CHAINS.flatMap((chain) =>
  chain.tokens.filter(({ enabled }) => !enabled).map((token) => ({ chain, token })),
)[0]!;
const LOOKALIKE = CHAINS.flatMap((chain) => chain.lookalikes.map((token) => ({ chain, token })))[0]!;

function adminOn(rows: readonly object[]): { admin: ChainAdmin; asked: readonly (readonly unknown[])[] } {
  const asked: (readonly unknown[])[] = [];
  const query = async <T>(_sql: string, params: readonly unknown[] = []): Promise<T[]> => (
    asked.push(params),
    rows as T[]
  );
  const db = { query, inTransaction: <T>(work: (tx: never) => Promise<T>): Promise<T> => work({ query } as never) };
  return { admin: new ChainAdmin(db, new ManualClock(NOW)), asked };
}

const row = (over: object) => ({
  id: '1',
  chain: 'CELO',
  transactionHash: '0x1',
  address: '0xA',
  partnerId: '7',
  token: USDC.address,
  symbol: 'USDC',
  amountMinor: '12500000',
  sender: '0xB',
  blockTime: AN_HOUR_AGO,
  seenAt: AN_HOUR_AGO,
  ...over,
});
const wish = (chain: string, asset: string | null = null) => ({ chain, asset, reason: 'it is down', by: 'Ann Otieno' });

describe('what nobody has claimed', () => {
  it('is shown in whole tokens, with its owner and the possible reason', async () => {
    const { admin, asked } = adminOn([
      row({}),
      row({ partnerId: null }),
      row({ token: '0x00000000000000000000000000000000000000CC', symbol: null, amountMinor: '99' }),
      row({ chain: NOT_ACCEPTED.chain.name, token: NOT_ACCEPTED.token.address }),
      row({ chain: LOOKALIKE.chain.name, token: LOOKALIKE.token.address, symbol: null }),
    ]);
    const listed = await admin.unclaimed({ minutes: 60, dust: false }, 10);
    expect(asked).toEqual([[AN_HOUR_AGO, 10]]);
    expect(listed.map(({ partner_id, amount, token }) => [partner_id, amount, token])).toEqual(
      expect.arrayContaining([
        [7, '12.500000', 'USDC'],
        [null, '12.500000', 'USDC'],
        [7, '99', '0x00000000000000000000000000000000000000CC'],
      ]),
    );
    expect(listed.map(({ why }) => why)).toEqual([
      'no pay has claimed it, or its pay was refused',
      'names no partner',
      'a token that is not listed',
      'a token that is not accepted',
      expect.stringMatching(new RegExp(`^looks like ${LOOKALIKE.token.symbol}: `)),
    ]);
    const page = unclaimedPage(listed, true, NOW, plainPaint);
    expect(page).toMatch(/partner\s+chain\s+value\s+token\s+for\s+transaction\s+why/);
    expect(page).toMatch(/7\s+CELO\s+12\.500000\s+USDC\s+1 h/);
    expect(page).toMatch(/\?\s+CELO .*names no partner/);
    expect(page.endsWith('and more, which are later')).toBe(true);
    expect(unclaimedPage([], false, NOW, plainPaint)).toBe(
      'Nothing is unclaimed: each transfer belongs to a pay or an order, or is worth less than a cent.',
    );
  });
});

describe('the switches', () => {
  it('accept only known chains and tokens, in any letter case', async () => {
    const made = {
      id: 1,
      chain: 'CELO',
      asset: 'USDT',
      reason: 'it is down',
      offSince: NOW,
      offBy: 'Ann Otieno',
      liftedAt: null,
      liftedBy: null,
      liftedWhy: null,
    };
    const { admin, asked } = adminOn([made]);
    expect(await admin.switchOff(wish('celo', 'usdt'))).toMatchObject({
      ok: true,
      value: { chain: 'CELO', asset: 'USDT', off_by: 'Ann Otieno', lifted_at: null },
    });
    expect(asked[0]?.slice(0, 2)).toEqual(['CELO', 'USDT']);
    expect(await admin.switchOff(wish('DOGE'))).toMatchObject({
      ok: false,
      error: { code: 'not_found', message: expect.stringMatching(/^There is no chain "DOGE": it is one of /) },
    });
    expect(await admin.switchOn(wish('CELO', 'WBTC'))).toMatchObject({
      ok: false,
      error: { code: 'not_found', message: expect.stringMatching(/^CELO accepts no token "WBTC"/) },
    });
    expect(asked).toHaveLength(2);
  });

  it('say so if there is nothing to switch', async () => {
    const { admin } = adminOn([]);
    expect(await admin.switchOff(wish('CELO'))).toMatchObject({
      ok: false,
      error: { message: 'CELO is switched off already' },
    });
    expect(await admin.switchOn(wish('CELO', 'USDC'))).toMatchObject({
      ok: false,
      error: { message: 'USDC on CELO is not switched off' },
    });
    expect(switchesPage(await admin.switches(), NOW, plainPaint)).toBe('Nothing is switched off.');
  });

  it('are shown with who, when and why', () => {
    const off = {
      chain: 'CELO',
      asset: 'USDT',
      reason: 'frozen',
      off_since: AN_HOUR_AGO.toISOString(),
      off_by: 'Ann Otieno',
      lifted_at: null,
      lifted_by: null,
      lifted_why: null,
    };
    const before = {
      ...off,
      asset: null,
      lifted_at: NOW.toISOString(),
      lifted_by: 'Ben Mwangi',
      lifted_why: 'they agree again',
    };
    const page = switchesPage({ off: [off], before: [before] }, NOW, plainPaint);
    expect(page).toMatch(
      /^USDT on CELO {2}off by Ann Otieno, 1 h.*: frozen\n\nBefore\nCELO {2}off by .*\n {2}on by Ben Mwangi, .*: they agree again$/s,
    );
  });
});
