import { describe, expect, it } from '@jest/globals';

import { MalformedAnswerError } from '../reader/json-values.js';

import { purseOf, refusalOf } from './purse.js';

const ID = 'GCATS5YOVB6ROX2WUNKGNQ2MP3GMXDMKSG2O4N5CLX3A6W4PZGZZI55U';
const ISSUER = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const USDC = `USDC:${ISSUER}`;
const NONE = { buying_liabilities: '0.0000000', selling_liabilities: '0.0000000' };
const NATIVE = { asset_type: 'native', balance: '10.0000000', ...NONE };
const LINE = {
  asset_type: 'credit_alphanum4',
  asset_code: 'USDC',
  asset_issuer: ISSUER,
  balance: '5.0000000',
  limit: '100.0000000',
  is_authorized: true,
  ...NONE,
};
const SHARES = { asset_type: 'liquidity_pool_shares', liquidity_pool_id: 'f'.repeat(64), balance: '1.0000000' };
const account = (...balances: object[]): Record<string, unknown> => ({
  account_id: ID,
  sequence: '4294967296',
  subentry_count: 1,
  num_sponsoring: 0,
  num_sponsored: 0,
  balances,
  data: {},
});

describe('what an account could pay with', () => {
  it('is less what it must keep and what it has promised', () => {
    expect(purseOf(account(SHARES, LINE, NATIVE), USDC)).toEqual({
      tokenMinor: 50_000_000n,
      feeMinor: 85_000_000n,
      sequence: 4_294_967_296n,
    });
    const promised = account(
      { ...LINE, selling_liabilities: '4.0000000' },
      { ...NATIVE, selling_liabilities: '8.0000000' },
    );
    expect(purseOf({ ...promised, num_sponsoring: 3, num_sponsored: 1 }, USDC)).toMatchObject({
      tokenMinor: 10_000_000n,
      feeMinor: 0n,
    });
    expect(purseOf(account({ ...LINE, is_authorized: false }, NATIVE), USDC)).toMatchObject({ tokenMinor: 0n });
    expect(purseOf(account(NATIVE), USDC)).toMatchObject({ tokenMinor: 0n });
    expect(() => purseOf(account(LINE), USDC)).toThrow(MalformedAnswerError);
    expect(() => purseOf({ ...account(LINE, NATIVE), subentry_count: -1 }, USDC)).toThrow(MalformedAnswerError);
  });
});

describe('whether an account could have it', () => {
  it.each<[string, Record<string, unknown> | undefined, boolean, RegExp | undefined]>([
    ['a trustline with room', account(LINE, NATIVE), false, undefined],
    ['no account', undefined, false, /no such account/],
    ['no trustline', account(NATIVE), false, /no trustline/],
    ['one of another issuer', account({ ...LINE, asset_issuer: ID }, NATIVE), false, /no trustline/],
    ['one that is frozen', account({ ...LINE, is_authorized: false }, NATIVE), false, /issuer/],
    ['one that is full', account({ ...LINE, balance: '90.0000001' }, NATIVE), false, /no room/],
    ['one that is promised', account({ ...LINE, buying_liabilities: '95.0000000' }, NATIVE), false, /no room/],
    ['who asks for memos', { ...account(LINE, NATIVE), data: { 'config.memo_required': 'MQ==' } }, false, /SEP-29/],
    [
      'who asks for memos, by a muxed address',
      { ...account(LINE, NATIVE), data: { 'config.memo_required': 'MQ==' } },
      true,
      undefined,
    ],
    ['who asks for none', { ...account(LINE, NATIVE), data: { 'config.memo_required': 'MA==' } }, false, undefined],
    ['the issuer', { ...account(NATIVE), account_id: ISSUER }, false, undefined],
  ])('%s', (_, told, isMuxed, why) => {
    const refusal = refusalOf(told, USDC, 100_000_000n, isMuxed);
    if (why === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toMatch(why);
  });
});
