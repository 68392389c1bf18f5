import { describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import { Cipher } from '@vuka/runtime';

import { DestinationVault } from './destination-vault.js';

const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
const vault = new DestinationVault(cipher);

describe('a destination', () => {
  it.each([
    { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
    { kind: 'till', shortcode: '123456' },
    { kind: 'paybill', shortcode: '123456', account_number: 'A-1' },
    { kind: 'bank', account_number: '0123456789', bank_code: '01', bank_name: 'KCB Bank Kenya' },
  ] as const)('is opened as it was sealed, by its own transaction alone: $kind', (destination) => {
    const stored = { ...vault.seal(7, 'KES', destination), kind: destination.kind };
    expect(vault.open(7, 'KES', stored)).toEqual(destination);
    expect(() => vault.open(8, 'KES', stored)).toThrow();
  });
});

describe('our id of an attempt at its provider', () => {
  const terms = {
    id: 7,
    partnerId: 1,
    transactionCode: 'order-1',
    operation: 'disburse',
    amount: money(100_00n, 'KES'),
    fee: money(5_00n, 'KES'),
    serviceFee: money(0n, 'KES'),
    callbackUrl: null,
    requestId: 'r',
    traceparent: 't',
  };
  const till = (id: number, shortcode = '123456', by = vault) => ({
    ...by.seal(id, 'KES', { kind: 'till', shortcode }),
    kind: 'till' as const,
  });

  it('is the same for the same attempt of the same payment, also where its database has forgotten it and numbers it anew', () => {
    const first = vault.providerReference(terms, till(7), 1);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // Providers know payments by this id: what derives it may never change.
    expect(first).toBe('db86fefd-3a00-8f13-bc7d-4b148095e98d');
    expect(
      vault.providerReference(
        { ...terms, id: 9_000, callbackUrl: 'https://x.example', requestId: 'q' },
        till(9_000),
        1,
      ),
    ).toBe(first);
  });

  it('is another one for anything else that is paid, and in another deployment', () => {
    const elsewhere = new DestinationVault(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 8) }]));
    const ids = [
      vault.providerReference(terms, till(7), 1),
      vault.providerReference(terms, till(7), 2),
      vault.providerReference(terms, till(7, '123457'), 1),
      ...[
        { partnerId: 2 },
        { transactionCode: 'order-2' },
        { operation: 'pay' },
        { amount: money(100_00n, 'UGX'), fee: money(5_00n, 'UGX') },
        { amount: money(100_01n, 'KES') },
        { fee: money(5_01n, 'KES') },
      ].map((other) => vault.providerReference({ ...terms, ...other }, till(7), 1)),
      elsewhere.providerReference(terms, till(7, '123456', elsewhere), 1),
    ];
    expect(new Set(ids).size).toBe(10);
  });
});
