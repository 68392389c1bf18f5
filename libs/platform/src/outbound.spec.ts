import { describe, expect, it } from '@jest/globals';
import type { lookup } from 'node:dns';

import { checkPublicUrl, guardedLookup, outboundPolicy } from './outbound.js';

const LIVE = { allowPrivate: false };
const SANDBOX = { allowPrivate: true };
const errorOf = (url: string, policy = LIVE): string => {
  const result = checkPublicUrl(url, policy);
  return result.ok ? 'allowed' : result.error;
};

/** Every one of these was reached by a client without a guard, or stands for a range that must not be. */
const LOOPBACK = ['127.0.0.1', '2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '127.1', '127.0.0.1.', '①②⑦.0.0.1', '127。0。0。1', '[::1]', '[0:0:0:0:0:0:0:1]'];
const NEVER = ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:8.8.8.8]', '0', '0.0.0.0', '[::]', '169.254.169.254', '[::ffff:169.254.169.254]', '100.64.0.1', '192.0.0.1', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '[fe80::1]', '[ff02::1]', '[2001:db8::1]', '[2002:7f00:1::]', '[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]', '[100::1]', '[3fff::1]', '[5f00::1]', '[2001::1]', '[::127.0.0.1]', '[::7f00:1]', '[fec0::1]', '[fd00:ec2::254]', '[fd20:ce::254]', '168.63.129.16', 'metadata.google.internal', 'METADATA.google.internal.', 'instance-data']; // prettier-ignore
const PRIVATE = ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '[fc00::1]', '[fd12::1]', 'localhost', 'localhost.', 'LOCALHOST', 'a.localhost', 'redis', 'printer.local'];
const PUBLIC = ['example.com', 'EXAMPLE.com.', '8.8.8.8', '172.15.0.1', '172.32.0.1', '11.0.0.1', '[2606:4700::1111]', 'bücher.example'];

describe('URLs that partners choose', () => {
  it.each([...LOOPBACK, ...NEVER, ...PRIVATE])('may not point to %s in live', (host) => {
    expect(errorOf(`https://${host}/hook`)).toBe('must point to a public host');
  });

  it.each(PUBLIC)('may point to %s', (host) => {
    expect(errorOf(`https://${host}/hook?x=1`)).toBe('allowed');
  });

  it.each([...LOOPBACK, ...PRIVATE, ...PUBLIC])('may point to %s in the sandbox, by http and on any port', (host) => {
    expect(errorOf(`http://${host}:4130/hook`, SANDBOX)).toBe('allowed');
  });

  it.each(NEVER)('may not even there point to %s', (host) => {
    expect(errorOf(`http://${host}/`, SANDBOX)).toBe('must point to a public host');
  });

  it.each([
    ['http://example.com/', 'must begin with https://'],
    ['ftp://example.com/', 'must begin with https://'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['https://user:pass@example.com/', 'must not carry a user name or password'],
    ['https://user@example.com/', 'must not carry a user name or password'],
    ['https://example.com:8080/', 'must use port 443 or 8443'],
    ['https://example.com:0/', 'must not use port 0'],
    ['https:example.com', 'must be an absolute URL'],
    ['https:/example.com', 'must be an absolute URL'],
    ['https:///example.com', 'must be an absolute URL'],
    ['//example.com/', 'must be an absolute URL'],
    ['example.com', 'must be an absolute URL'],
    ['https://', 'must be an absolute URL'],
    ['https://exa mple.com/', 'must be an absolute URL'],
    ['https://example.com\\@127.0.0.1/', 'must be an absolute URL'],
    ['https://[fe80::1%25eth0]/', 'must be an absolute URL'],
    ['https://999.1.1.1/', 'must be an absolute URL'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ])('%s: %s', (url, rule) => {
    expect(errorOf(url)).toBe(rule);
  });

  it.each(['https://example.com/', 'https://example.com:443/', 'https://example.com:8443/'])('%s is fine in live', (url) => {
    expect(errorOf(url)).toBe('allowed');
  });

  it('take their policy from the settings', () => {
    expect(outboundPolicy({ env: 'live', webhookAllowPrivate: false })).toEqual({ allowPrivate: false, anyPort: false });
    expect(outboundPolicy({ env: 'sandbox', webhookAllowPrivate: false })).toEqual({ allowPrivate: false, anyPort: true });
    expect(checkPublicUrl('https://example.com:9000/', { allowPrivate: false, anyPort: true }).ok).toBe(true);
  });
});

describe('a guarded lookup', () => {
  const answering = (...addresses: string[]): typeof lookup =>
    ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
      callback(null, addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))) as unknown as typeof lookup;
  const ask = (all: boolean, allowPrivate: boolean, ...addresses: string[]): unknown[] => {
    let answer: unknown[] = [];
    guardedLookup(allowPrivate, answering(...addresses))('name.example', { all }, (...given: unknown[]) => (answer = given));
    return answer;
  };

  it('answers with what it has checked', () => {
    expect(ask(true, false, '8.8.8.8', '2606:4700::1')).toEqual([null, [{ address: '8.8.8.8', family: 4 }, { address: '2606:4700::1', family: 6 }]]);
    expect(ask(false, false, '8.8.8.8', '9.9.9.9')).toEqual([null, '8.8.8.8', 4]);
    expect(ask(false, true, '127.0.0.1')).toEqual([null, '127.0.0.1', 4]);
  });

  it.each([['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['8.8.8.8', '::1'], ['::ffff:169.254.169.254'], ['64:ff9b::7f00:1'], []])(
    'refuses a name when any address may not be connected to: %p %p',
    (...addresses: string[]) => {
      expect(ask(true, false, ...addresses)[0]).toMatchObject({ name: 'OutboundBlockedError', code: 'OUTBOUND_BLOCKED' });
    },
  );
});
