import { describe, expect, it } from '@jest/globals';

import { json } from '../shapes.spec-support.js';
import { readAvailability } from './availability.js';

const AT = new Date('2026-11-28T10:00:00.000Z');
const network = (provider: string, PAYOUT: string, DEPOSIT = 'OPERATIONAL') => ({
  provider,
  operationTypes: Object.entries({ DEPOSIT, PAYOUT }).map(([operationType, status]) => ({ operationType, status })),
});
const read = (...countries: object[]) => readAvailability(json(200, countries), AT);

describe('availability', () => {
  it('is told of payouts alone, by our names, of each currency', () => {
    expect(
      read(
        {
          country: 'GHA',
          providers: [network('VODAFONE_GHA', 'DELAYED'), network('MTN_MOMO_GHA', 'OPERATIONAL', 'CLOSED')],
        },
        { country: 'COD', providers: [network('AIRTEL_COD', 'CLOSED'), network('ORANGE_COD', 'CLOSED')] },
        { country: 'ZMB', providers: [network('MTN_MOMO_ZMB', 'CLOSED')] },
      ),
    ).toEqual({
      outcome: 'told',
      at: AT,
      corridors: [
        { currency: 'GHS', kind: 'mobile', network: 'MTN', state: 'open' },
        { currency: 'GHS', kind: 'mobile', network: 'Telecel', state: 'slow' },
        { currency: 'CDF', kind: 'mobile', network: 'Airtel Money', state: 'closed' },
        { currency: 'USD', kind: 'mobile', network: 'Airtel Money', state: 'closed' },
      ],
    });
  });

  it('is slow where the word is not known', () => {
    for (const word of ['SUSPENDED', '', 'constructor', 'operational'])
      expect(read({ country: 'KEN', providers: [network('MPESA_KEN', word)] })).toMatchObject({
        corridors: [{ state: 'slow' }],
      });
  });

  it('is not told of a network whose payouts are not named', () => {
    const deposits = { provider: 'MPESA_KEN', operationTypes: [{ operationType: 'DEPOSIT', status: 'CLOSED' }] };
    expect(read({ country: 'KEN', providers: [deposits] }, { country: 'UGA', providers: [] })).toMatchObject({
      corridors: [],
    });
  });

  it('fails where the answer is another', () => {
    for (const reply of [json(403, {}), json(200, {}), json(200, null), json(200, [{ country: 'KEN' }])])
      expect(readAvailability(reply, AT)).toMatchObject({ outcome: 'failed' });
    expect(readAvailability({ kind: 'no_answer', detail: 'HTTP 500' }, AT)).toEqual({
      outcome: 'failed',
      detail: 'HTTP 500',
    });
  });
});
