import { describe, expect, it } from '@jest/globals';

import { json } from './shapes.spec-support.js';
import { readBalances } from './wallet-balances.js';

const AT = new Date('2026-11-28T10:00:00.000Z');
const wallet = (currency: string, balance: unknown, country = 'MWI', provider = '') => ({
  country,
  balance,
  currency,
  provider,
});
const read = (...balances: object[]) => readBalances(json(200, { balances }), AT);

describe('wallet balances', () => {
  it('are told by wallet: of a country, or of one network, each of its currencies by itself', () => {
    expect(
      read(
        wallet('MWK', '21798.03'),
        wallet('CDF', '10.5', 'COD'),
        wallet('USD', '7.00', 'COD'),
        wallet('CDF', '0.25', 'COD', 'AIRTEL_COD'),
        { country: 'KEN', currency: 'KES', balance: '9' },
      ),
    ).toEqual({
      outcome: 'told',
      balances: [
        { wallet: 'mw', country: 'MW', amount: { minor: 2_179_803n, currency: 'MWK' }, at: AT },
        { wallet: 'cd', country: 'CD', amount: { minor: 1_050n, currency: 'CDF' }, at: AT },
        { wallet: 'cd', country: 'CD', amount: { minor: 700n, currency: 'USD' }, at: AT },
        { wallet: 'cd-airtel-cod', country: 'CD', amount: { minor: 25n, currency: 'CDF' }, at: AT },
        { wallet: 'ke', country: 'KE', amount: { minor: 900n, currency: 'KES' }, at: AT },
      ],
    });
  });

  it('are rounded down', () => {
    expect(read(wallet('UGX', '10798.03', 'UGA'))).toMatchObject({ balances: [{ amount: { minor: 10_798n } }] });
    expect(read(wallet('UGX', '-0.5', 'UGA'))).toMatchObject({ balances: [{ amount: { minor: -1n } }] });
    expect(read(wallet('KES', '-12.00', 'KEN'))).toMatchObject({ balances: [{ amount: { minor: -1_200n } }] });
  });

  it('of what we do not pay are left out', () => {
    expect(
      read(
        wallet('ZMW', '7.00', 'ZMB'),
        wallet('USD', '7.00', 'ZMB'),
        wallet('CDF', '1.00', 'COD', 'ORANGE_COD'),
        wallet('constructor', 'x'),
      ),
    ).toEqual({ outcome: 'told', balances: [] });
  });

  it.each(['', '1e3', 'NaN', '1,000', '--1', '1.0000001'])('fail as a whole where one is %j', (balance) => {
    expect(read(wallet('MWK', '1.00'), wallet('KES', balance, 'KEN'))).toEqual({
      outcome: 'failed',
      detail: 'a sum of KES that cannot be read',
    });
  });

  it('fail where a wallet comes twice', () => {
    expect(read(wallet('MWK', '1.00'), wallet('MWK', '2.00'))).toMatchObject({ outcome: 'failed' });
  });

  it('fail where the answer is another', () => {
    for (const reply of [json(403, {}), json(200, {}), json(200, null), json(200, { balances: [wallet('MWK', 5)] })])
      expect(readBalances(reply, AT)).toMatchObject({ outcome: 'failed' });
    expect(readBalances({ kind: 'no_answer', detail: 'HTTP 500' }, AT)).toEqual({
      outcome: 'failed',
      detail: 'HTTP 500',
    });
  });
});
