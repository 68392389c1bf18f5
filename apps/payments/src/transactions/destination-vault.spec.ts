import { describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import { type DestinationVault } from './destination-vault.js';
import { testVault } from './destination-vault.spec-support.js';

const vault = testVault();
const KEY = { partnerId: 1, sealed: '' };

describe('a destination', () => {
  it.each([
    { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
    { kind: 'till', shortcode: '123456' },
    { kind: 'paybill', shortcode: '123456', account_number: 'A-1' },
    { kind: 'bank', account_number: '0123456789', bank_code: '01', bank_name: 'KCB Bank Kenya' },
  ] as const)('is opened as it was sealed, by its own transaction alone: $kind', async (destination) => {
    const sealed = await vault.seal({ transactionId: 7, partnerId: 1, currency: 'KES' }, destination);
    const stored = { ...sealed, kind: destination.kind, key: KEY };
    expect(vault.open(7, 'KES', stored)).toEqual(destination);
    expect(() => vault.open(8, 'KES', stored)).toThrow();
    expect(() => vault.open(7, 'KES', { ...stored, key: null })).toThrow('was erased');
  });

  it('has a name that opens for its own transaction alone', () => {
    const sealed = vault.sealName(7, 'JANE DOE');
    expect(sealed).not.toContain('JANE');
    expect([vault.openName(7, sealed), vault.openName(7, null), vault.sealName(7, null)]).toEqual([
      'JANE DOE',
      null,
      null,
    ]);
    expect(() => vault.openName(8, sealed)).toThrow();
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
  const till = async (id: number, shortcode = '123456', by: DestinationVault = vault) => ({
    ...(await by.seal({ transactionId: id, partnerId: 1, currency: 'KES' }, { kind: 'till', shortcode })),
    kind: 'till' as const,
    key: KEY,
  });

  it('is the same for the same attempt of the same payment, also where its database has forgotten it and numbers it anew', async () => {
    const first = vault.providerReference(terms, await till(7), 1);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // Providers know payments by this id: what derives it may never change.
    expect(first).toBe('db86fefd-3a00-8f13-bc7d-4b148095e98d');
    expect(
      vault.providerReference(
        { ...terms, id: 9_000, callbackUrl: 'https://x.example', requestId: 'q' },
        await till(9_000),
        1,
      ),
    ).toBe(first);
  });

  it('is another one for anything else that is paid, and in another deployment', async () => {
    const elsewhere = testVault(8);
    const same = await till(7);
    const ids = [
      vault.providerReference(terms, await till(7), 1),
      vault.providerReference(terms, await till(7), 2),
      vault.providerReference(terms, await till(7, '123457'), 1),
      ...[
        { partnerId: 2 },
        { transactionCode: 'order-2' },
        { operation: 'pay' },
        { amount: money(100_00n, 'UGX'), fee: money(5_00n, 'UGX') },
        { amount: money(100_01n, 'KES') },
        { fee: money(5_01n, 'KES') },
      ].map((other) => vault.providerReference({ ...terms, ...other }, same, 1)),
      elsewhere.providerReference(terms, await till(7, '123456', elsewhere), 1),
    ];
    expect(new Set(ids).size).toBe(10);
  });
});
