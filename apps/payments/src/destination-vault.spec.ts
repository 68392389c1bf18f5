import { describe, expect, it } from '@jest/globals';
import { CURRENCIES, localPhone, parsePhone, type Currency } from '@vuka/domain';
import { Cipher } from '@vuka/platform';

import { DestinationVault } from './destination-vault.js';

const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
const vault = new DestinationVault(cipher);

/** A row as the first builds wrote it: a phone in local form. */
const oldRow = (id: number, shortcode: string) => ({
  kind: 'mobile' as const, bankCode: '', bankName: '', mobileNetwork: 'Airtel', sealed: cipher.seal(JSON.stringify({ shortcode }), `destinations:${String(id)}:sealed`),
});

describe('a phone that the first builds sealed', () => {
  it.each(Object.values<Currency>(CURRENCIES).map((currency) => [currency.code, currency] as const))('is read by its prefix alone in %s, whatever the number plan says today', (code, currency) => {
    // Of no range that any plan has.
    const local = '0000000000';
    expect(parsePhone(local, currency)).toBeNull();
    const phone = `+${currency.phone_code}000000000`;
    expect(vault.open(7, code, oldRow(7, local))).toEqual({ kind: 'mobile', phone, mobile_network: 'Airtel' });
    expect(localPhone(phone)).toBe(local);
  });

  it('is no phone where it is not in that form, or of no country', () => {
    for (const [code, local] of [['KES', ''], ['KES', '712345678'], ['XXX', '0712345678']] as const) {
      expect(() => vault.open(7, code, oldRow(7, local))).toThrow(`a sealed phone is none of ${code}`);
    }
  });
});

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
