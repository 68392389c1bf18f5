import { describe, expect, it } from '@jest/globals';

import { json } from '../shapes.spec-support.js';
import { predictionBody, readPrediction } from './predict-network.js';

const PHONE = '+265993456789';
const read = (fields: object = {}, status = 200) =>
  readPrediction(
    json(status, { country: 'MWI', provider: 'AIRTEL_MWI', phoneNumber: '265993456789', ...fields }),
    PHONE,
    'MWK',
  );

describe('the network that pawaPay predicts of a number', () => {
  it('is told by our name', () => {
    expect(predictionBody(PHONE)).toEqual({ phoneNumber: '265993456789' });
    expect(read()).toEqual({ outcome: 'told', network: 'Airtel Money' });
    expect(read({ provider: 'TNM_MWI', phoneNumber: '+265993456789' })).toEqual({
      outcome: 'told',
      network: 'TNM Mpamba',
    });
  });

  it('cannot be told where it is none that we can name in that currency', () => {
    for (const provider of ['ZAMTEL_ZMB', 'MPESA_KEN', 'constructor', ''])
      expect(read({ provider })).toEqual({ outcome: 'cannot_tell' });
  });

  it('is not relied on where the answer is another', () => {
    for (const answer of [
      read({ phoneNumber: '265993456780' }),
      read({ provider: null }),
      read({}, 400),
      read({}, 403),
    ])
      expect(answer).toMatchObject({ outcome: 'failed' });
    expect(readPrediction({ kind: 'no_answer', detail: 'HTTP 500' }, PHONE, 'MWK')).toEqual({
      outcome: 'failed',
      detail: 'HTTP 500',
    });
  });
});
