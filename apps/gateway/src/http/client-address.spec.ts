import { describe, expect, it } from '@jest/globals';
import { AddressRanges } from '@vuka/config';
import fc from 'fast-check';

import { clientAddress, MOST_PROXIES } from './client-address.js';

const OURS = AddressRanges.of(['10.0.0.0/8', '2001:db8:1::/48']);
const from = (header: string | undefined, peer = '10.0.0.1'): string | undefined => clientAddress(peer, header, OURS);

describe('the address that a request came from', () => {
  it('is the address of the socket if no trusted proxy calls, whatever the header says', () => {
    expect(clientAddress('10.0.0.1', '192.0.2.1', null)).toBe('10.0.0.1');
    expect(from('192.0.2.1', '198.51.100.9')).toBe('198.51.100.9');
    expect(clientAddress(undefined, '192.0.2.1', OURS)).toBeUndefined();
  });

  it.each([
    [undefined, '10.0.0.1'],
    ['', '10.0.0.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['203.0.113.66, 192.0.2.1', '192.0.2.1'],
    ['203.0.113.66,192.0.2.1 ,\t10.1.1.1,10.2.2.2', '192.0.2.1'],
    ['10.9.9.9,10.1.1.1', '10.9.9.9'],
    ['192.0.2.1, unknown', '10.0.0.1'],
    ['192.0.2.1,, 10.1.1.1', '10.1.1.1'],
    ['192.0.2.1, 10.1.1.1,', '10.0.0.1'],
    ['192.0.2.1, 10.1.1.1/8', '10.0.0.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, ::ffff:10.1.1.1', '192.0.2.1'],
    ['2001:DB8:2::7, 2001:db8:1::1', '2001:db8:2::7'],
    ['192.0.2.1:50123', '192.0.2.1'],
    ['[2001:db8:2::7]:443', '2001:db8:2::7'],
    ['[2001:db8:2::7]', '2001:db8:2::7'],
    ['fe80::1%eth0', '10.0.0.1'],
    ['1'.repeat(8_000), '10.0.0.1'],
  ])('with %j is %s', (header, address) => {
    expect(from(header)).toBe(address);
  });

  it('is recognised for peers in each spelling', () => {
    expect([
      from('192.0.2.1', '::ffff:10.0.0.1'),
      from('192.0.2.1', '2001:db8:1::9'),
      from('192.0.2.1', '::ffff:198.51.100.9'),
    ]).toEqual(['192.0.2.1', '192.0.2.1', '198.51.100.9']);
    expect(clientAddress('fe80::1%eth0', '192.0.2.1', AddressRanges.of(['fe80::/10']))).toBe('192.0.2.1');
  });

  it('is searched behind a limited number of proxies', () => {
    const hops = (count: number): string =>
      ['192.0.2.1', ...Array.from({ length: count }, (_, n) => `10.1.0.${String(n)}`)].join(',');
    expect(from(hops(MOST_PROXIES - 1))).toBe('192.0.2.1');
    expect(from(hops(MOST_PROXIES))).toBe('10.1.0.0');
    expect(from(hops(200))).toBe(`10.1.0.${String(200 - MOST_PROXIES)}`);
  });

  it('is never the text of the caller, with any text and any number of proxies', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const proxy = fc.tuple(octet, octet, octet).map((octets) => `10.${octets.join('.')}`);
    const stranger = fc.tuple(octet, octet).map((octets) => `203.0.${octets.join('.')}`);
    const written = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(proxy, stranger), { maxLength: 5 }).map((parts) => parts.join(',')),
    );
    const space = fc.constantFrom('', ' ', '\t', '  ');
    fc.assert(
      fc.property(
        written,
        stranger,
        fc.array(proxy, { maxLength: MOST_PROXIES - 2 }),
        space,
        (forged, caller, proxies, gap) => {
          const [peer = '', ...before] = proxies.length === 0 ? ['10.0.0.1'] : proxies;
          const header = [forged, caller, ...before].join(`${gap},${gap}`);
          expect([from(header, peer), from([caller, ...before].join(','), peer)]).toEqual([caller, caller]);
          expect(from(header, caller)).toBe(caller);
        },
      ),
    );
  });
});
