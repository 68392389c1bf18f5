import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ACCOUNT_KINDS, accountName, parseAccountName, signRuleOf } from './accounts.js';

describe('account names', () => {
  it.each([
    [accountName.wallet(1, 'KES'), 'wallet:1:KES', { kind: 'wallet', partner: 1, asset: 'KES' }],
    [accountName.held(1, 'USD'), 'held:1:USD', { kind: 'held', partner: 1, asset: 'USD' }],
    [
      accountName.unapplied(12, 'USDC@BNB'),
      'unapplied:12:USDC@BNB',
      { kind: 'unapplied', partner: 12, asset: 'USDC@BNB' },
    ],
    [
      accountName.rail('sandbox_b', 'main', 'KES'),
      'rail:sandbox_b:main:KES',
      { kind: 'rail', provider: 'sandbox_b', wallet: 'main', asset: 'KES' },
    ],
    [
      accountName.rail('pawapay', 'cd-airtel-cod', 'USD'),
      'rail:pawapay:cd-airtel-cod:USD',
      { kind: 'rail', provider: 'pawapay', wallet: 'cd-airtel-cod', asset: 'USD' },
    ],
    [accountName.chain('BNB', 'USDC@BNB'), 'chain:BNB:USDC@BNB', { kind: 'chain', chain: 'BNB', asset: 'USDC@BNB' }],
    [accountName.sandbox_funding('KES'), 'sandbox_funding:KES', { kind: 'sandbox_funding', asset: 'KES' }],
  ])('%s', (name, text, parts) => {
    expect(name).toBe(text);
    expect(parseAccountName(name)).toEqual(parts);
  });

  it.each([
    '',
    'wallet',
    'wallet:1',
    'wallet:0:KES',
    'wallet:1:KES:x',
    'purse:1:KES',
    'wallet:x:KES',
    'fx:',
    'rail:sandbox:KES',
    'rail:sandbox::KES',
    'rail:Sandbox:main:KES',
    'rail:sandbox-b:main:KES',
    'rail:sandbox:KE:KES',
    'rail:sandbox:ke-:KES',
    'rail:sandbox:ke_airtel:KES',
    'rail:sandbox:main:KES:main',
    'toString:KES',
  ])('refuses %j', (name) => {
    expect(() => parseAccountName(name)).toThrow(RangeError);
  });

  it('refuses parts that would make one account look like another', () => {
    expect(() => accountName.rail('a:KES', 'main', 'KES')).toThrow(RangeError);
    expect(() => accountName.rail('a', 'main:KES', 'KES')).toThrow(RangeError);
    expect(() => accountName.wallet(1.5, 'KES')).toThrow(RangeError);
    expect(() => accountName.fx('')).toThrow(RangeError);
  });

  it('has one sign rule for each kind', () => {
    expect(Object.fromEntries(Object.entries(ACCOUNT_KINDS).map(([kind, { sign }]) => [kind, sign]))).toEqual({
      wallet: 'liability',
      held: 'liability',
      unapplied: 'liability',
      refunding: 'liability',
      receivable: 'receivable',
      rail: 'outside',
      bank: 'outside',
      chain: 'outside',
      fx: 'any',
      fees: 'any',
      rail_cost: 'any',
      suspense: 'any',
      treasury: 'any',
      sandbox_funding: 'any',
    });
    expect(signRuleOf('receivable:1:KES')).toBe('receivable');
  });

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.constantFrom('KES', 'USDm@CELO', 'USDC.e@POLYGON'),
        (partner, asset) => {
          expect(parseAccountName(accountName.refunding(partner, asset))).toEqual({
            kind: 'refunding',
            partner,
            asset,
          });
        },
      ),
    );
  });
});
