import { describe, expect, it } from '@jest/globals';

import { json } from './shapes.spec-support.js';
import { readBalances } from './wallet-balances.js';

const wallet = (currency: string, balance: unknown, country = 'MWI', provider = '') => ({
  country,
  balance,
  currency,
  provider,
});
const read = (...balances: object[]) => readBalances(json(200, { balances }));

describe('wallet balances', () => {
  it('are told by currency, all wallets of one together', () => {
    expect(
      read(wallet('MWK', '21798.03'), wallet('CDF', '10.5', 'COD'), wallet('CDF', '0.25', 'COD', 'AIRTEL_COD')),
    ).toEqual({
      outcome: 'told',
      balances: [
        { minor: 2_179_803n, currency: 'MWK' },
        { minor: 1_075n, currency: 'CDF' },
      ],
    });
  });

  it('are rounded down once, after they were added up', () => {
    expect(read(wallet('UGX', '10798.03'))).toMatchObject({ balances: [{ minor: 10_798n, currency: 'UGX' }] });
    expect(read(wallet('UGX', '0.6'), wallet('UGX', '0.6'))).toMatchObject({ balances: [{ minor: 1n }] });
    expect(read(wallet('UGX', '-0.5'))).toMatchObject({ balances: [{ minor: -1n }] });
    expect(read(wallet('KES', '-12.00'))).toMatchObject({ balances: [{ minor: -1_200n }] });
  });

  it('of currencies that are none of ours are left out', () => {
    expect(read(wallet('ZMW', '7.00', 'ZMB'), wallet('constructor', 'x'))).toEqual({ outcome: 'told', balances: [] });
  });

  it.each(['', '1e3', 'NaN', '1,000', '--1', '1.0000001'])('fail as a whole where one is %j', (balance) => {
    expect(read(wallet('MWK', '1.00'), wallet('KES', balance))).toEqual({
      outcome: 'failed',
      detail: 'a sum of KES that cannot be read',
    });
  });

  it('fail where the answer is another', () => {
    for (const reply of [json(403, {}), json(200, {}), json(200, null), json(200, { balances: [wallet('MWK', 5)] })])
      expect(readBalances(reply)).toMatchObject({ outcome: 'failed' });
    expect(readBalances({ kind: 'no_answer', detail: 'HTTP 500' })).toEqual({ outcome: 'failed', detail: 'HTTP 500' });
  });
});
