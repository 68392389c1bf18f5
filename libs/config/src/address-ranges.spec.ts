import { isIPv4 } from 'node:net';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { AddressRanges, plainAddress, plainRange } from './address-ranges.js';

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:c000:0201', '192.0.2.1'],
    ['::ffff:0.0.0.0', '0.0.0.0'],
    ['::192.0.2.1', '::c000:201'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['2001:0DB8:0:0::1', '2001:db8::1'],
    ['::', '::'],
  ])('%s is %s', (text, plain) => {
    expect(plainAddress(text)).toBe(plain);
  });

  it.each([
    '',
    ' 192.0.2.1',
    '192.0.2',
    '192.0.2.256',
    '192.0.02.1',
    '0xc0000201',
    '3221225985',
    '[::1]',
    'fe80::1%eth0',
    '::1]/x',
    '::ffff:999.0.2.1',
    'localhost',
    '192.0.2.1:80',
    '1'.repeat(65),
  ])('%j is none', (text) => {
    expect(plainAddress(text)).toBeNull();
  });
});

describe('a range', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['192.0.2.7', '192.0.2.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::/0', '::/0'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::192.0.2.0/120', '::c000:200/120'],
  ])('%s is %s', (text, plain) => {
    expect(plainRange(text)).toBe(plain);
  });

  it.each([
    '',
    '/',
    '192.0.2.0/',
    '/24',
    '192.0.2.0/33',
    '192.0.2.0/024',
    '192.0.2.0/+24',
    '192.0.2.0/-1',
    '192.0.2.0/24/24',
    '192.0.2.1/24',
    '192.0.2.0/255.255.255.0',
    '2001:db8::/129',
    '2001:db8::1/64',
    '::ffff:0:0/95',
    '::ffff:192.0.2.0/24',
    'fe80::%eth0/10',
  ])('%j is none', (text) => {
    expect(plainRange(text)).toBeNull();
  });
});

const octet = fc.integer({ min: 0, max: 255 });
const v4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
const v6 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(':'));
const bitsOf = (address: string): string =>
  isIPv4(address)
    ? address
        .split('.')
        .map((part) => Number(part).toString(2).padStart(8, '0'))
        .join('')
    : address
        .split(':')
        .map((part) => parseInt(part, 16).toString(2).padStart(16, '0'))
        .join('');
const addressOf = (bits: string): string =>
  bits.length === 32
    ? bits
        .match(/.{8}/g)!
        .map((part) => parseInt(part, 2))
        .join('.')
    : bits
        .match(/.{16}/g)!
        .map((part) => parseInt(part, 2).toString(16))
        .join(':');

describe('ranges', () => {
  it('contain exactly the addresses with the same bits up to the prefix', () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), fc.oneof(v4, v6), fc.nat(128), fc.boolean(), (one, other, length, near) => {
        const bits = bitsOf(one);
        const prefix = Math.min(length, bits.length);
        const ranges = AddressRanges.of([`${addressOf(bits.slice(0, prefix).padEnd(bits.length, '0'))}/${prefix}`]);
        const asked =
          near && bitsOf(other).length === bits.length
            ? addressOf(bits.slice(0, prefix) + bitsOf(other).slice(prefix))
            : other;
        const mapped = asked.startsWith('0:0:0:0:0:ffff:');
        expect([ranges.has(one), mapped || ranges.has(asked)]).toEqual([
          true,
          mapped || (bitsOf(asked).length === bits.length && bitsOf(asked).startsWith(bits.slice(0, prefix))),
        ]);
      }),
    );
  });

  it('recognise an IPv4 address in each spelling, and never mistake an IPv6 range for an IPv4 one', () => {
    const ranges = AddressRanges.of(['192.0.2.0/24', '2001:db8::/32']);
    for (const address of ['192.0.2.9', '::ffff:192.0.2.9', '::ffff:c000:209', '2001:db8:ffff::1'])
      expect([address, ranges.has(address)]).toEqual([address, true]);
    for (const address of ['192.0.3.9', '::192.0.2.9', '2001:db9::1', 'fe80::1%eth0', '', 'x'])
      expect([address, ranges.has(address)]).toEqual([address, false]);
    expect(AddressRanges.of(['::/0']).has('192.0.2.9')).toBe(false);
  });

  it('leave out what is no range, and hold nothing where nothing is left', () => {
    const ranges = AddressRanges.of(['192.0.2.1/24', 'everybody', '198.51.100.1']);
    expect([ranges.has('192.0.2.1'), ranges.has('198.51.100.1')]).toEqual([false, true]);
    expect(AddressRanges.of([]).has('127.0.0.1')).toBe(false);
  });
});
