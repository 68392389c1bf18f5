import { isIP } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HOSTILE_URLS, PUBLIC_ADDRESS } from '@vuka/testing';
import fc from 'fast-check';
import type { Agent } from 'undici';

import {
  checkPublicUrl,
  createOutboundAgent,
  outboundPolicy,
  type OutboundPolicy,
  type ResolveName,
} from './outbound.js';

const LIVE = { allowPrivate: false };
const SANDBOX = { allowPrivate: true };
const errorOf = (url: string, policy = LIVE): string => {
  const result = checkPublicUrl(url, policy);
  return result.ok ? 'allowed' : result.error;
};

const HOSTILE = HOSTILE_URLS.map((row) => [row.family, JSON.stringify(row.url).slice(0, 100), row] as const);
const PUBLIC = [
  'example.com',
  'EXAMPLE.com.',
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '11.0.0.1',
  '[2606:4700::1111]',
  'bücher.example',
  'a_b.example.com',
  'xn--80ak6aa92e.com',
  `${'a'.repeat(63)}.example`,
];

describe('the text of a URL that a partner chose', () => {
  it.each(HOSTILE)('%s: %s', (_family, _url, { url, isToldByText, isAllowedInSandbox }) => {
    expect(errorOf(url) === 'allowed').toBe(!isToldByText);
    if (isToldByText) expect(errorOf(url, SANDBOX) === 'allowed').toBe(isAllowedInSandbox);
  });

  it.each(PUBLIC)('may point to %s', (host) => {
    expect(errorOf(`https://${host}/hook?x=1`)).toBe('allowed');
    expect(errorOf(`http://${host}:4130/hook`, SANDBOX)).toBe('allowed');
  });

  it.each([
    ['http://example.com/', 'must begin with https://'],
    ['https://@example.com/', 'must not carry a user name or password'],
    ['https://example.com:8080/', 'must use port 443 or 8443'],
    ['https://example.com:0/', 'must not use port 0'],
    ['https:///example.com', 'must be an absolute URL'],
    ['https://127.1/', 'must point to a public host'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ])('%s: %s', (url, rule) => {
    expect(errorOf(url)).toBe(rule);
  });

  it.each([
    'https://example.com/',
    'https://example.com:443/',
    'https://example.com:8443/',
    'https://example.com/@x?a@b#@',
  ])('%s is fine in live', (url) => {
    expect(errorOf(url)).toBe('allowed');
  });

  it('is judged by the policy of the settings', () => {
    expect(outboundPolicy({ env: 'live', webhookAllowPrivate: false })).toEqual({
      allowPrivate: false,
      anyPort: false,
    });
    expect(outboundPolicy({ env: 'sandbox', webhookAllowPrivate: false })).toEqual({
      allowPrivate: false,
      anyPort: true,
    });
    expect(checkPublicUrl('https://example.com:9000/', { allowPrivate: false, anyPort: true }).ok).toBe(true);
  });
});

let attempts: string[];
let asked: string[];
let agents: Agent[];

beforeEach(() => {
  attempts = [];
  asked = [];
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.destroy()));
});

function agentOf(policy: OutboundPolicy, resolve: ResolveName, timeoutMs = 5_000): Agent {
  const agent = createOutboundAgent({
    ...{ ...policy, timeoutMs, resolve: (name, signal) => (asked.push(name), resolve(name, signal)) },
    connectTo: ({ addresses }, _options, callback) => {
      attempts.push(...addresses.map(({ address }) => address));
      callback(Object.assign(new Error('nothing is connected to here'), { code: 'NOT_HERE' }), null);
    },
  });
  agents.push(agent);
  return agent;
}

const answering =
  (...addresses: readonly string[]): ResolveName =>
  async () =>
    addresses.map((address) => ({ address, family: isIP(address) }));

async function call(agent: Agent, url: string): Promise<unknown> {
  try {
    return (await agent.request({ origin: new URL(url).origin, path: '/', method: 'GET' })).statusCode;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe('a connection for a URL that a partner chose', () => {
  it.each(HOSTILE)('%s: %s', async (_family, _url, { url, connection, addresses = [PUBLIC_ADDRESS] }) => {
    const ended = await call(agentOf(LIVE, answering(...addresses)), url);
    expect(ended).not.toBe(200);
    // However other parsers read it, the host called is public.
    expect(attempts).toEqual(connection === 'elsewhere' ? [PUBLIC_ADDRESS] : []);
  });

  it.each(HOSTILE)(
    'in the sandbox, %s: %s',
    async (_family, _url, { url, isToldByText, isAllowedInSandbox, addresses = [PUBLIC_ADDRESS] }) => {
      if (checkPublicUrl(url, SANDBOX).ok) await call(agentOf(SANDBOX, answering(...addresses)), url);
      expect(attempts.length > 0).toBe(isAllowedInSandbox);
      if (!isToldByText && isAllowedInSandbox) expect(attempts).toEqual(addresses);
    },
  );

  it('goes to all that a name resolved to, which is asked for once', async () => {
    expect(await call(agentOf(LIVE, answering('8.8.8.8', '9.9.9.9', '2606:4700::1111')), 'https://name.example/')).toBe(
      'NOT_HERE',
    );
    expect(attempts).toEqual(['8.8.8.8', '9.9.9.9', '2606:4700::1111']);
    expect(asked).toEqual(['name.example']);
  });

  it('refuses the connection when the name changes its address: a rebinding resolver', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1'], ['8.8.8.8', '169.254.169.254'], ['9.9.9.9']];
    const agent = agentOf(LIVE, (name, signal) => answering(...(answers.shift() ?? []))(name, signal));
    const ends = [];
    for (let turn = 0; turn < 5; turn += 1) ends.push(await call(agent, 'https://rebind.example/'));
    expect(ends).toEqual(['NOT_HERE', 'OUTBOUND_BLOCKED', 'OUTBOUND_BLOCKED', 'NOT_HERE', 'ENOTFOUND']);
    expect(attempts).toEqual(['8.8.8.8', '9.9.9.9']);
    expect(asked).toHaveLength(5);
  });

  it('makes no lookup for an address in the URL', async () => {
    expect(await call(agentOf(LIVE, answering('9.9.9.9')), 'https://8.8.8.8/')).toBe('NOT_HERE');
    expect(await call(agentOf(LIVE, answering('9.9.9.9')), 'https://[2606:4700::1111]/')).toBe('NOT_HERE');
    expect({ attempts, asked }).toEqual({ attempts: ['8.8.8.8', '2606:4700::1111'], asked: [] });
  });

  it('does not wait for a resolver that never answers, and says so to it', async () => {
    let signalled: AbortSignal | undefined;
    const agent = agentOf(LIVE, (_name, signal) => ((signalled = signal), new Promise(() => undefined)), 40);
    expect(await call(agent, 'https://silent.example/')).toBe('EAI_AGAIN');
    expect(signalled?.aborted).toBe(true);
    expect(attempts).toEqual([]);
  });

  it('waits no longer for one name because others never answer', async () => {
    const agent = agentOf(LIVE, (name, signal) =>
      name === 'good.example' ? answering('8.8.8.8')(name, signal) : new Promise(() => undefined),
    );
    let ended = 0;
    const silent = Array.from({ length: 100 }, (_, number) =>
      call(agent, `https://silent-${number}.example/`).finally(() => (ended += 1)),
    );
    expect(await call(agent, 'https://good.example/')).toBe('NOT_HERE');
    expect(ended).toBe(0);
    await agent.destroy();
    await Promise.all(silent);
  });

  it('ends with errors that name neither the host nor where it leads', async () => {
    for (const [host, address] of [
      ['secret-host.example', '10.20.30.40'],
      ['10.20.30.40', PUBLIC_ADDRESS],
    ] as const) {
      const failure: unknown = await agentOf(LIVE, answering(address))
        .request({ origin: `https://${host}`, path: '/secret', method: 'GET' })
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'OutboundBlockedError' });
      expect(String((failure as Error).stack)).not.toMatch(/secret|10\.20/);
    }
  });
});

/** Independent of the code under test. */
const BLOCKS: readonly (readonly [network: number, bits: number])[] = [
  [0x00000000, 8], [0x0a000000, 8], [0x64400000, 10], [0x7f000000, 8], [0xa9fe0000, 16], [0xac100000, 12], [0xc0000000, 24],
  [0xc0000200, 24], [0xc0586300, 24], [0xc0a80000, 16], [0xc6120000, 15], [0xc6336400, 24], [0xcb007100, 24], [0xe0000000, 4], [0xf0000000, 4], [0xa83f8110, 32],
]; // prettier-ignore
const isPublicV4 = (address: number): boolean =>
  !BLOCKS.some(([network, bits]) => address >= network && address < network + 2 ** (32 - bits));
const numberOf = (dotted: string): number => dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** As browsers read it: one to four numbers in any base. */
const spelled = (address: number): fc.Arbitrary<string> =>
  fc
    .record({
      parts: fc.integer({ min: 1, max: 4 }),
      bases: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
      zeros: fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
      dot: fc.constantFrom('.', '。', '．', '｡', '%2e', '%2E'),
      digits: fc.constantFrom('plain', 'upper', 'wide', 'percent'),
      end: fc.constantFrom('', '.'),
    })
    .map(({ parts, bases, zeros, dot, digits, end }) => {
      const bytes = [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255];
      const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
      const texts = [...bytes.slice(0, parts - 1), last].map((value, place) =>
        numeral(value, bases[place] ?? 10, zeros[place] ?? 0),
      );
      return texts.map((text) => inDigits(text, digits)).join(dot) + end;
    });

const numeral = (value: number, base: number, zeros: number): string =>
  base === 10 ? String(value) : (base === 8 ? '0' : '0x') + '0'.repeat(zeros) + value.toString(base);

function inDigits(text: string, digits: string): string {
  if (digits === 'upper') return text.toUpperCase();
  if (digits === 'wide') return text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  return digits === 'percent' ? text.replace(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`) : text;
}

const blockedV4 = fc
  .constantFrom(...BLOCKS)
  .chain(([network, bits]) => fc.integer({ min: network, max: network + 2 ** (32 - bits) - 1 }));
const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
const anyHost = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }).chain(spelled),
  fc.ipV6().map((address) => `[${address}]`),
  fc
    .tuple(fc.constantFrom(0x2000, 0x2001, 0x2002, 0x3fff, 0, 0x64, 0xfd00), groups)
    .map(([first, [, ...rest]]) => `[${[first, ...rest].map((group) => group.toString(16)).join(':')}]`),
  fc.domain(),
  fc.string({ maxLength: 30 }),
);

describe('any URL', () => {
  it('with an IPv4 address that is not public is refused, however it is spelled', () => {
    fc.assert(
      fc.property(blockedV4.chain(spelled), (host) => {
        expect(errorOf(`https://${host}/`)).toBe('must point to a public host');
      }),
      { numRuns: 2_000 },
    );
  });

  it('that is let through has a public host, and is https without a user', () => {
    fc.assert(
      fc.property(
        anyHost,
        fc.constantFrom('https://', 'https:', 'http://', 'HTTPS://a@', 'https:\\\\'),
        fc.constantFrom('', '/', ':443/', ':8443/x', ':22/', '/\t'),
        (host, start, end) => {
          const result = checkPublicUrl(`${start}${host}${end}`, LIVE);
          if (!result.ok) return;
          const { protocol, username, port, hostname } = result.value;
          expect([protocol, username]).toEqual(['https:', '']);
          expect(['', '8443']).toContain(port);
          const address = hostname.replace(/^\[(.*)\]$/, '$1');
          if (isIP(address) === 4) expect(isPublicV4(numberOf(address))).toBe(true);
          else if (isIP(address) === 6) expect(isPublicV6(address)).toBe(true);
          else expect(hostname).toMatch(/^[a-z0-9_.-]+\.[a-z0-9_.-]+$/);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('with a public IPv4 address is let through', () => {
    const publicV4 = fc.integer({ min: 0, max: 2 ** 32 - 1 }).filter(isPublicV4);
    fc.assert(
      fc.property(publicV4.chain(spelled), (host) => expect(errorOf(`https://${host}/`)).toBe('allowed')),
      { numRuns: 1_000 },
    );
  });
});

/** Global unicast without 2001::/23, 2001:db8::/32, 2002::/16 and 3fff::/20. */
function isPublicV6(address: string): boolean {
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const missing = address.includes('::') ? 8 - left.length - right.length : 0;
  const [first = 0, second = 0] = [...left, ...new Array<string>(missing).fill('0'), ...right].map((group) =>
    parseInt(group, 16),
  );
  if (first < 0x2000 || first > 0x3fff || first === 0x2002) return false;
  if (first === 0x2001) return second >= 0x200 && second !== 0xdb8;
  return first !== 0x3fff || second >= 0x1000;
}
