import { describe, expect, it } from '@jest/globals';
import type { LookupDestination } from '@vuka/domain';
import { Cipher } from '@vuka/runtime';

import { destinationKeys } from './destination-keys.js';

const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
const keysOf = (destination: LookupDestination, currency = 'KES', by = cipher) =>
  destinationKeys(by, currency, destination);

const BANK: LookupDestination = {
  kind: 'bank',
  account_number: '0110123456',
  bank_code: '01',
  bank_name: 'KCB Bank Kenya',
};
const PHONE: LookupDestination = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' };
const TILL: LookupDestination = { kind: 'till', shortcode: '123456' };

describe('the keys of a destination', () => {
  it('differ for different destinations, and reveal nothing about them', () => {
    const different: [LookupDestination, string][] = [
      [BANK, 'KES'],
      [{ ...BANK, bank_code: '02' }, 'KES'],
      [{ ...BANK, account_number: '0110123457' }, 'KES'],
      [BANK, 'NGN'],
      [PHONE, 'KES'],
      [{ ...PHONE, phone: '+254712345679' }, 'KES'],
      [TILL, 'KES'],
      [{ kind: 'paybill', shortcode: '123456' }, 'KES'],
    ];
    const keys = different.map(([destination, currency]) => keysOf(destination, currency));
    const all = keys.flatMap(({ recipient, question }) => [recipient, question]);
    expect(new Set(all).size).toBe(all.length);
    for (const key of all) expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('are equal for equal destinations, but only with the same secret', () => {
    expect(keysOf({ ...BANK })).toEqual(keysOf(BANK));
    // Only the bank's code counts.
    expect(keysOf({ ...BANK, bank_name: 'KCB' })).toEqual(keysOf(BANK));
    const other = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 8) }]);
    expect(keysOf(BANK, 'KES', other).recipient).not.toBe(keysOf(BANK).recipient);
  });

  it('of one phone asked for at two networks are one recipient and two questions', () => {
    const [first, second] = [keysOf(PHONE), keysOf({ ...PHONE, mobile_network: 'Airtel' })];
    expect(first.recipient).toBe(second.recipient);
    expect(first.question).not.toBe(second.question);
  });
});
