// A documented setting that compose files do not pass on would have no effect. Exceptions are listed here with the
// reason.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';

const read = (path) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '');

const BY_IMAGE = 'the image sets where it listens, which is inside the container';
const FILE = 'it is a file, which must be mounted too (docs/operators/settings.md, with compose)';
const PLAIN = 'the servers of this file speak without TLS and logins of Kafka, on a network that leads nowhere else';
const FOR_TESTS = 'for tests';

export const LEFT_OUT = {
  HOST: BY_IMAGE,
  PORT: `${BY_IMAGE}; for Compose it is the port of this machine that leads there`,
  VUKA_INTERNAL_HOST: BY_IMAGE,
  VUKA_INTERNAL_PORT: BY_IMAGE,
  VUKA_INTERNAL_TLS: PLAIN,
  VUKA_INTERNAL_CERT_FILE: PLAIN,
  VUKA_INTERNAL_KEY_FILE: PLAIN,
  VUKA_INTERNAL_CA_FILE: PLAIN,
  SOLANA_ADDRESSES_FILE: FILE,
  SCREENING_FILE: FILE,
  OWN_ADDRESSES_FILE: FILE,
  SANDBOX_REFUND_KEYS_FILE: FILE,
  VUKA_DATABASE_CONNECTIONS: 'one value for five services that need different ones',
  VUKA_DATABASE_CA_FILE: PLAIN,
  VUKA_KAFKA_TLS: PLAIN,
  VUKA_KAFKA_CA_FILE: PLAIN,
  VUKA_KAFKA_CERT_FILE: PLAIN,
  VUKA_KAFKA_KEY_FILE: PLAIN,
  VUKA_KAFKA_SASL: PLAIN,
  VUKA_KAFKA_USERNAME: PLAIN,
  VUKA_ACCEPT_RISK: 'of live: these files run a sandbox, where it does nothing',
  VUKA_ALLOW_STABLECOIN_FUNDS_AT: 'of live: the providers of this file pay with play money',
  VUKA_TEST_CHAIN_EPOCH: FOR_TESTS,
  VUKA_TEST_REFUND_SAFE_MS: FOR_TESTS,
  VUKA_TEST_SEARCH_MS: FOR_TESTS,
  VUKA_TEST_WIRE_SEED: FOR_TESTS,
  VUKA_CRASH_AT: FOR_TESTS,
};

/** Given as a file by Compose; conventions-deploy.mjs checks that. */
const BY_CONFIG = 'VUKA_TERMS_FILE';

const OF_CHAINS = 'CHAIN_RPC_<CHAIN>';

const CHAINS = [
  .../^export const CHAINS\b.*= \[([A-Z, ]+)\];$/m.exec(read('libs/domain/src/chain/registry.ts'))[1].split(', '),
];

export const CHAIN_SETTINGS = CHAINS.map((chain) => OF_CHAINS.replace('<CHAIN>', chain));

export function documentedSettings(page) {
  const [, table] = /<!-- settings:begin -->([\s\S]*)<!-- settings:end -->/.exec(page);
  return [...table.matchAll(/^\| `([A-Z_<>]+)` \| ([^|]*) \|/gm)].flatMap(([, name, who]) =>
    (name === OF_CHAINS ? CHAIN_SETTINGS : [name]).map((one) => ({
      name: one,
      who: who.trim() === 'all' ? 'all' : who.split(',').map((service) => service.trim()),
    })),
  );
}

const SETTINGS = documentedSettings(read('docs/operators/settings.md'));

/** The one-process program reads the settings of both profiles. */
const OF_STANDALONE = new Set(
  [...read('libs/config/src/settings-variables.ts').matchAll(/^ {2}([A-Z_]+): (?:z$|z\.|rateLimit\()/gm)]
    .map(([, name]) => name)
    .concat(CHAIN_SETTINGS),
);

const isReadBy = (target, { name, who }) =>
  target === 'standalone' ? OF_STANDALONE.has(name) : who === 'all' || who.includes(target);

/** Documented settings that a container lacks, gets under another name, or gets without effect. */
export function settingFindings(target, { environment = {} }) {
  return SETTINGS.filter(({ name }) => name !== BY_CONFIG).flatMap((setting) => {
    const { name } = setting;
    const value = environment[name];
    if (!isReadBy(target, setting)) return value === undefined ? [] : [`it does not read ${name}`];
    if (name in LEFT_OUT)
      return value === undefined ? [] : [`${name} is passed on, although it is listed as not passed on`];
    if (value === undefined) return [`${name} is not passed on`];
    return !String(value).includes('${') || String(value).startsWith(`\${${name}:-`)
      ? []
      : [`${name} is passed on from ${value}`];
  });
}
