import { describe, expect, it } from '@jest/globals';

import { PublicAddress } from './public-address.js';

describe('the page of an order', () => {
  it('is where payers reach the API', () => {
    const set = new PublicAddress({ env: 'live', publicUrl: 'https://pay.example.com' });
    set.listensAt('http://10.0.0.7:3000');
    expect(set.paymentUrl('token')).toBe('https://pay.example.com/pay/token');
  });

  it('is by default where the sandbox listens, and does not exist in live', () => {
    const sandbox = new PublicAddress({ env: 'sandbox' });
    expect(sandbox.paymentUrl('token')).toBe('');
    sandbox.listensAt('http://0.0.0.0:3000');
    expect(sandbox.paymentUrl('token')).toBe('http://127.0.0.1:3000/pay/token');
    const live = new PublicAddress({ env: 'live' });
    live.listensAt('http://127.0.0.1:3000');
    expect(live.paymentUrl('token')).toBe('');
  });
});
