import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { loadSettings } from '../settings.js';
import { entropyBits, LEAST_BITS } from './entropy.js';
import { LIVE_RISKS, type RiskFacts } from './live-risks.js';
import { listeningAddresses, machineFacts, refuseUnsafe, risksIn } from './refuse-unsafe.js';
import { RISK_NAMES, type RiskName } from './risk-names.js';

const settings = loadSettings({
  VUKA_ENV: 'live',
  TRUSTED_PROXIES: '10.0.0.0/8,fc00::/7,192.0.2.7',
  CHAIN_RPC_CELO: 'https://one.example,https://two.example',
  RATES_URL: 'https://rates.example',
});
const withSettings = (env: Record<string, string>) => ({ settings: loadSettings({ VUKA_ENV: 'live', ...env }) });
const kafka = { hosts: ['kafka-1', '10.0.0.2'], hasTls: true, hasLogin: true };

const SAFE: RiskFacts = {
  settings,
  database: { host: 'db.internal', hasTls: true },
  kafka,
  redis: { host: 'redis', hasPassword: true },
  internalAddresses: ['127.0.0.1', '10.0.0.7', '172.31.255.255', '100.64.0.1', 'fd12::1', 'fe80::1', '::1'],
  providerUrls: ['https://api.example.com'],
  chosenSecrets: ['zV3nYw0pT9kQfL2sXb7JmC5hRd8GaE1u'],
  machine: { uid: 1000, checksCertificates: true },
};

const UNSAFE: Readonly<Record<RiskName, readonly Partial<RiskFacts>[]>> = {
  'postgres-without-tls': ['db.internal', '10.0.0.3', '2001:db8::1'].map((host) => ({
    database: { host, hasTls: false },
  })),
  'kafka-without-tls-and-login': [
    { kafka: { ...kafka, hasTls: false } },
    { kafka: { ...kafka, hasLogin: false } },
    { kafka: { hosts: ['127.0.0.1', '10.0.0.2'], hasTls: false, hasLogin: false } },
  ],
  'redis-without-password': [{ redis: { host: 'redis', hasPassword: false } }],
  'internal-server-public': ['203.0.113.9', '172.32.0.1', '2001:db8::1'].map((address) => ({
    internalAddresses: ['127.0.0.1', address],
  })),
  'proxies-trust-everybody': ['0.0.0.0/0', '::/0', '10.0.0.1,128.0.0.0/1', '2000::/3', '::ffff:0:0/96'].map((ranges) =>
    withSettings({ TRUSTED_PROXIES: ranges }),
  ),
  'weak-credentials': [{ chosenSecrets: [...SAFE.chosenSecrets, 'vuka'] }],
  'rate-limits-off': ['PARTNER', 'LOOKUPS', 'DESTINATION', 'FAILED_AUTH'].map((which) =>
    withSettings({ [`RATE_LIMIT_${which}`]: 'off' }),
  ),
  'logs-silent': ['silent', 'fatal'].map((level) => withSettings({ LOG_LEVEL: level })),
  'chains-over-http': ['http://one.example', 'http://127.0.0.1:8545'].map((url) =>
    withSettings({ CHAIN_RPC_CELO: `https://two.example,${url}` }),
  ),
  'rates-over-http': [withSettings({ RATES_URL: 'http://rates.example' })],
  'providers-over-http': [{ providerUrls: ['https://api.example.com', 'HTTP://api.example.com'] }],
  'certificate-checks-off': [
    { machine: { ...SAFE.machine, ...machineFacts({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }), uid: 1000 } },
  ],
  'runs-as-root': [{ machine: { ...SAFE.machine, uid: 0 } }],
};

const HERE: readonly Partial<RiskFacts>[] = ['127.0.0.1', '127.8.0.1', '::1', 'localhost'].map((host) => ({
  database: { host, hasTls: false },
  redis: { host, hasPassword: false },
  kafka: { hosts: [host], hasTls: false, hasLogin: false },
}));

const cases = RISK_NAMES.flatMap((name) => UNSAFE[name].map((facts, place) => [name, place, facts] as const));

describe('what live refuses', () => {
  it('is nothing where all is safe, or on this machine', () => {
    expect([SAFE, ...HERE.map((facts) => ({ ...SAFE, ...facts }))].flatMap((facts) => risksIn(facts, 'standalone'))).toEqual([]); // prettier-ignore
    expect(machineFacts({})).toEqual({ uid: process.getuid?.(), checksCertificates: true });
  });

  it.each(cases)('is %s (%d) by itself, by name, unless it is accepted in writing', (name, _, changed) => {
    const facts = { ...SAFE, ...changed };
    const start = (env: 'sandbox' | 'live', acceptedRisks: readonly RiskName[]) =>
      refuseUnsafe({ env, acceptedRisks }, facts, 'standalone');
    const others = RISK_NAMES.filter((other) => other !== name);
    expect(risksIn(facts, 'standalone')).toEqual([{ name, says: LIVE_RISKS[name].says }]);
    for (const accepted of [[], others])
      expect(() => start('live', accepted)).toThrow(
        `\n  - ${name}: ${LIVE_RISKS[name].says}\n  Whoever takes a risk on`,
      );
    expect(start('live', [name])).toEqual([{ name, says: LIVE_RISKS[name].says }]);
    expect(start('sandbox', [])).toEqual([]);
  });

  it('concerns the services that have it', () => {
    const silent = { ...SAFE, ...UNSAFE['logs-silent'][0] };
    const off = { ...SAFE, ...UNSAFE['rate-limits-off'][0] };
    const clear = { ...SAFE, ...UNSAFE['postgres-without-tls'][0] };
    const names = (facts: RiskFacts, who: string) => risksIn(facts, who).map(({ name }) => name);
    expect([names(silent, 'notifier'), names(off, 'notifier'), names(off, 'validation')]).toEqual([
      ['logs-silent'],
      [],
      ['rate-limits-off'],
    ]);
    // Who may ask and who has agreed is in its database.
    expect(names(clear, 'admin')).toEqual(['postgres-without-tls']);
  });

  it('has its rows in docs/operators/going-live-risks.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/operators/going-live-risks.md'), 'utf8');
    const [, table = ''] = /<!-- risks:begin -->([\s\S]*)<!-- risks:end -->/.exec(page) ?? [];
    const rows = [...table.matchAll(/^\| `([a-z-]+)` \| ([^|]+) \|/gm)].map(([, name, who]) => [name, who]);
    const asWritten = (services: 'all' | readonly string[]) => (services === 'all' ? 'all' : services.join(', '));
    expect(rows).toEqual(RISK_NAMES.map((name) => [name, asWritten(LIVE_RISKS[name].services)]));
  });

  it('looks at the addresses where a server would listen', async () => {
    expect(await listeningAddresses('192.0.2.7')).toEqual(['192.0.2.7']);
    expect(await listeningAddresses('0.0.0.0')).toContain('127.0.0.1');
    expect(await listeningAddresses('no-such-host.invalid')).toEqual([]);
  });
});

describe('the strength of what people type', () => {
  it.each(['', 'vuka', 'password', 'Password123!', '12345678901234567890', 'a'.repeat(64), 'abcabcabc'.repeat(9), 'hunter2'.repeat(9)])(
    'is too little of %j',
    (text) => expect(entropyBits(text)).toBeLessThan(LEAST_BITS),
  ); // prettier-ignore

  it.each(['5f1c3a9be27d4480', 'zV3nYw0pT9kQfL2sXb7JmC5hRd8GaE1u', '9c1f0e7b3d5a28641b7e9d0c4f2a6835e1d7c9b0'])(
    'is enough of %j where it is longer than sixteen digits',
    (text) => expect(entropyBits(text) >= LEAST_BITS).toBe(text.length > 16),
  );
});
