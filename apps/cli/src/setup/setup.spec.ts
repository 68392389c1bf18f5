import { sign, verify } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SERVICES, SERVICE_NAMES, TOPICS, type ServiceName, type ServiceNeeds } from '@vuka/contracts';
import { ADMIN_SERVICES, loadSecrets, openDataFolder, readAdminFile, readOperatorFile } from '@vuka/data-folder';
import { credentialHash } from '@vuka/http';
import { BootError } from '@vuka/runtime';
import { loadServiceSettings } from '@vuka/service-host/run';

import { topicsToMake } from './prepare-servers.js';
import { loadSetupSettings, type SetupSettings } from './setup-settings.js';
import { openSecrets, rotateCipher, writeSecrets } from './write-secrets.js';

interface ComposeFile {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment: Readonly<Record<string, string>>;
        readonly volumes: readonly string[];
        readonly command?: readonly string[];
      }
    >
  >;
}

const { safeLoad } = createRequire(import.meta.url)('js-yaml') as { safeLoad(text: string): unknown };
const compose = safeLoad(
  await readFile(fileURLToPath(new URL('../../../../docker-compose.yml', import.meta.url)), 'utf8'),
) as ComposeFile;

let root: string;
let settings: SetupSettings;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vuka-setup-'));
  settings = loadSetupSettings({ VUKA_SETUP_DIR: join(root, 'setup'), VUKA_SETUP_SECRETS_DIR: join(root, 'secrets') });
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const secretsOf = async (name: string): Promise<string> =>
  readFile(join(root, 'secrets', name, 'secrets.json'), 'utf8');

function environmentOf(container: string): NodeJS.ProcessEnv {
  const { environment, volumes } = compose.services[container] ?? { environment: {}, volumes: [] };
  const mounts = volumes
    .map((volume) => volume.split(':'))
    .flatMap(([name = '', target = '']) =>
      name.startsWith('secrets-') ? [[target, join(root, 'secrets', name.slice('secrets-'.length))] as const] : [],
    );
  const inside = (value: string): string =>
    mounts.reduce(
      (path, [target, source]) => (path.startsWith(`${target}/`) ? source + path.slice(target.length) : path),
      value,
    );
  // Defaults of unset variables, the innermost first.
  const byDefault = (value: string): string =>
    /\$\{\w+:-[^${}]*\}/.test(value) ? byDefault(value.replace(/\$\{\w+:-([^${}]*)\}/g, '$1')) : value;
  const plain = (value: string): string => inside(byDefault(value));
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, plain(value)]));
}

describe('the secrets of a deployment', () => {
  it('are one private file for each program, and the same at every run', async () => {
    await writeSecrets(settings);
    const first = await Promise.all(SERVICE_NAMES.map(secretsOf));
    await writeSecrets(settings);
    expect(await Promise.all(SERVICE_NAMES.map(secretsOf))).toEqual(first);
    expect((await readdir(join(root, 'secrets'))).sort()).toEqual(
      [...SERVICE_NAMES, 'operator', 'postgres', 'providers', 'redis', 'sandbox-provider', 'sandbox-provider-b'].sort(),
    );
    for (const name of SERVICE_NAMES)
      expect((await stat(join(root, 'secrets', name, 'secrets.json'))).mode & 0o777).toBe(0o600);
  });

  it('of one service contain nothing of another service', async () => {
    await writeSecrets(settings);
    const all = await Promise.all(SERVICE_NAMES.map(secretsOf));
    const own = all.map(
      (text) =>
        JSON.parse(text) as { database_password?: string } & Partial<
          Record<'cipher_keys' | 'index_keys' | 'key_peppers', { key: string }[]>
        >,
    );
    const values = own.map(({ database_password, cipher_keys = [], index_keys = [], key_peppers = [] }) =>
      [database_password, ...[...cipher_keys, ...index_keys, ...key_peppers].map(({ key }) => key)].filter(
        (value) => value !== undefined,
      ),
    );
    expect(values.flat().length).toBeGreaterThanOrEqual(15);
    for (const [place, mine] of values.entries()) {
      for (const value of mine)
        expect(all.filter((text, other) => other !== place && text.includes(value))).toEqual([]);
    }
  });

  it('are not made again if the folder is lost, and never replace secrets of another one', async () => {
    await writeSecrets(settings);
    const before = await secretsOf('payments');
    await rm(join(root, 'setup'), { recursive: true });
    await expect(writeSecrets(settings)).rejects.toThrow(/made from another secrets\.json/);
    const other = loadSetupSettings({
      VUKA_SETUP_DIR: join(root, 'other'),
      VUKA_SETUP_SECRETS_DIR: join(root, 'elsewhere'),
    });
    await writeSecrets(other);
    await expect(writeSecrets({ ...other, secretsFolder: settings.secretsFolder })).rejects.toThrow(
      /made from another secrets\.json/,
    );
    expect(await secretsOf('payments')).toBe(before);
  });

  it('get a new random cipher key before the old ones', async () => {
    await writeSecrets(settings);
    const [before] = (JSON.parse(await secretsOf('notifier')) as { cipher_keys: object[] }).cipher_keys;
    await rotateCipher(settings);
    await writeSecrets(settings);
    const { cipher_keys: keys } = JSON.parse(await secretsOf('notifier')) as { cipher_keys: { id: string }[] };
    expect(keys).toEqual([expect.objectContaining({ id: 'k2' }), before]);
    const other = loadSetupSettings({
      VUKA_SETUP_DIR: join(root, 'other'),
      VUKA_SETUP_SECRETS_DIR: join(root, 'elsewhere'),
    });
    await writeSecrets(other);
    await expect(writeSecrets({ ...other, secretsFolder: settings.secretsFolder })).rejects.toThrow(
      /made from another secrets\.json/,
    );
  });

  it('let admin alone know the holder of the operator file, and the services know admin', async () => {
    await writeSecrets(settings);
    const { operator, credential, url } = await readAdminFile(join(root, 'secrets/operator/admin.json'));
    expect(operator).toBeNull();
    expect(url).toBe('http://admin:3100');
    const { secrets: admin } = await loadServiceSettings(environmentOf('admin'), 'admin');
    const { credential: anns } = await readOperatorFile(join(root, 'secrets/operator'), 'ann');
    expect(admin.operators.slice(0, 2)).toEqual([
      { name: null, role: 'admin', credentialSha256: credentialHash(credential) },
      { name: 'Ann Otieno', role: 'admin', credentialSha256: credentialHash(anns) },
    ]);
    expect(admin.operators.map(({ name }) => name)).toEqual([null, 'Ann Otieno', 'Ben Mwangi']);
    const signed = Buffer.from('an assertion');
    const signature = sign(null, signed, admin.assertionKey!.key);
    for (const name of ADMIN_SERVICES) {
      const { secrets } = await loadServiceSettings(environmentOf(name), name);
      expect(secrets.operators).toEqual([]);
      expect(secrets.assertionKey).toBeNull();
      expect(secrets.adminKeys.map(({ key }) => verify(null, signed, key, signature))).toEqual([true]);
      expect(await secretsOf(name)).not.toContain(credential);
    }
    expect((await loadServiceSettings(environmentOf('validation'), 'validation')).secrets.adminKeys).toEqual([]);
  });

  it('are completed when a service gets a database', async () => {
    await writeSecrets(settings);
    const whole = await secretsOf('checkout');
    const { database_password: _, ...before } = JSON.parse(whole) as Record<string, unknown>;
    await writeFile(join(root, 'secrets/checkout/secrets.json'), JSON.stringify(before), { mode: 0o600 });
    await writeSecrets(settings);
    expect(await secretsOf('checkout')).toBe(whole);
  });

  it('keep what operators added to a file, and replace the generated parts', async () => {
    await writeSecrets(settings);
    const path = join(root, 'secrets/offramp/secrets.json');
    const made = JSON.parse(await secretsOf('offramp')) as Record<string, unknown>;
    const added = {
      chain_rpc: { CELO: ['https://one.example/key', 'https://two.example/key'] },
      rates_url: 'https://rates.example/key',
      later: [1],
      kafka_password: 'theirs',
    };
    await writeFile(path, JSON.stringify({ ...made, ...added, redis_password: 'another' }), { mode: 0o600 });
    await writeSecrets(settings);
    const written = await secretsOf('offramp');
    expect(JSON.parse(written)).toEqual({ ...made, ...added });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const { chains, rates } = await loadServiceSettings(
      { ...environmentOf('offramp'), VUKA_KAFKA_SASL: 'scram-sha-512', VUKA_KAFKA_USERNAME: 'offramp' },
      'offramp',
    );
    expect([chains.endpoints, rates.url]).toEqual([added.chain_rpc, added.rates_url]);
    await rotateCipher(settings);
    await writeSecrets(settings);
    expect(await secretsOf('offramp')).toBe(written);
  });

  it.each([
    ['cut off', '{ "chain_rpc": { "CELO": ["https://one.example/a-key"] }, '],
    ['empty', ''],
    ['a list', '["a-key"]'],
    ['nothing', 'null'],
  ])('are not written over a file that is %s', async (_, text) => {
    await writeSecrets(settings);
    const [path, before, rooted] = [
      join(root, 'secrets/offramp/secrets.json'),
      await secretsOf('gateway'),
      await readFile(join(root, 'setup/secrets.json'), 'utf8'),
    ];
    await writeFile(path, text);
    await rm(join(root, 'secrets/redis'), { recursive: true });
    for (const step of [writeSecrets, rotateCipher]) {
      const refusal = await step(settings).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(BootError);
      expect(String(refusal)).toContain(`The secrets file ${path} is not valid`);
      expect(String(refusal)).not.toContain('a-key');
    }
    expect([
      await readFile(path, 'utf8'),
      await secretsOf('gateway'),
      await readFile(join(root, 'setup/secrets.json'), 'utf8'),
    ]).toEqual([text, before, rooted]);
    expect(await readdir(join(root, 'secrets'))).not.toContain('redis');
  });

  it('do not overwrite an unreadable file', async () => {
    await mkdir(join(root, 'secrets/offramp/secrets.json'), { recursive: true });
    await openDataFolder(settings.folder).then(async (folder) => loadSecrets(folder, 'sandbox'));
    await expect(writeSecrets(settings)).rejects.toThrow('it cannot be read (EISDIR)');
  });

  it('are asked for by the later steps', async () => {
    await expect(openSecrets(settings)).rejects.toThrow(/no secrets/);
    await writeSecrets(settings);
    const secrets = await openSecrets(settings);
    expect(await secretsOf('payments')).toContain(credentialHash(secrets.serviceCredential('setup', 'payments')));
  });

  it.each([
    ['VUKA_ENV', 'live'],
    ['VUKA_SETUP_PARTITIONS', '0'],
    ['VUKA_SETUP_GROW_PARTITIONS', 'true'],
    ['VUKA_SETUP_GROW_PARTITIONS', 'validation'],
    ['VUKA_SETUP_DATABASE_URL', 'postgres://postgres:secret@db/vuka'],
    ['VUKA_KAFKA_PREFIX', 'a:'],
  ])('refuse %s with an invalid value (%s)', (name, value) => {
    expect(() => loadSetupSettings({ [name]: value })).toThrow(name);
  });
});

describe('topics', () => {
  it('are all made, and none grows unless its service is named', () => {
    const { topics } = loadSetupSettings({ VUKA_SETUP_PARTITIONS: '24' });
    expect(topicsToMake(topics)).toEqual({ partitions: 24, replication: 1, retentionMs: 168 * 3_600_000 });
  });

  it.each(Object.keys(SERVICES).filter((name) => Object.values(TOPICS).some(({ owner }) => owner === name)))(
    'of %s grow without those of another',
    (owner) => {
      const { topics } = loadSetupSettings({ VUKA_SETUP_GROW_PARTITIONS: owner });
      const { growPartitions, catalogue } = topicsToMake(topics);
      expect(growPartitions).toBe(true);
      expect(Object.keys(catalogue?.topics ?? {})).toEqual(
        Object.entries(TOPICS).flatMap(([name, topic]) => (topic.owner === owner ? [name] : [])),
      );
    },
  );
});

describe('docker-compose.yml', () => {
  it.each(SERVICE_NAMES)('gives %s every setting that it needs, under known names', async (name) => {
    await writeSecrets(settings);
    const environment = environmentOf(name);
    const loaded = await loadServiceSettings(environment, name);
    const needs: ServiceNeeds = SERVICES[name];
    expect(loaded.unknownVariables).toEqual([]);
    expect(Object.keys(loaded.urls).sort()).toEqual([...needs.calls, ...needs.gathers].sort());
    for (const url of Object.values(loaded.urls))
      expect(Object.keys(compose.services)).toContain(new URL(url).hostname);
    expect(loaded.database?.user).toBe(needs.databaseConnections > 0 ? `vuka_${name}` : undefined);
    if (loaded.providersFile !== null)
      expect(JSON.parse(await readFile(loaded.providersFile, 'utf8'))).toMatchObject({
        providers: [
          { id: 'sandbox', base_url: 'http://sandbox-provider:3900' },
          { id: 'sandbox_b', base_url: 'http://sandbox-provider-b:3900' },
        ],
      });
  });

  it('has a migration job for every service with a database, with the settings of that service', () => {
    const keepers = SERVICE_NAMES.filter((name: ServiceName) => SERVICES[name].databaseConnections > 0);
    expect(keepers.map((name) => compose.services[`migrate-${name}`]?.command)).toEqual(
      keepers.map(() => ['--migrate']),
    );
    for (const name of keepers) expect(environmentOf(`migrate-${name}`)).toEqual(environmentOf(name));
  });

  it.each(['secrets', 'servers', 'sandbox'])('sets the step %s by names and values that it knows', (step) => {
    const environment = environmentOf(step);
    expect(compose.services[step]?.command).toEqual([step]);
    expect(() => loadSetupSettings(environment)).not.toThrow();
  });

  it.each([{}, { VUKA_KAFKA_PREFIX: 'mine.' }])(
    'has the topics made under the names that services use (%j)',
    async (given) => {
      await writeSecrets(settings);
      const { topicPrefix } = loadSetupSettings({ ...environmentOf('servers'), ...given });
      expect(topicPrefix).toMatch(/^(sandbox|mine)\.$/);
      for (const name of ['payments', 'notifier'] as const)
        expect((await loadServiceSettings({ ...environmentOf(name), ...given }, name)).kafka?.prefix).toBe(topicPrefix);
    },
  );

  it('gives Redis and PostgreSQL the passwords that the services have', async () => {
    await writeSecrets(settings);
    const password = (await readFile(join(root, 'secrets/redis/password'), 'utf8')).trim();
    expect(await readFile(join(root, 'secrets/redis/redis.conf'), 'utf8')).toBe(`requirepass ${password}\n`);
    expect(await secretsOf('gateway')).toContain(password);
    expect(await readFile(join(root, 'secrets/postgres/password'), 'utf8')).toBe(
      (await openSecrets(settings)).serverPassword('postgres'),
    );
  });
});
