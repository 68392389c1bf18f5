import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatOfThisBuild } from '@vuka/data-folder';
import {
  ApiClient,
  OutsideChecker,
  VukaProcess,
  WebhookReceiver,
  accountNumber,
  drawn,
  folderPrint,
  makeEarlierFolder,
  runScript,
  startVuka,
  until,
  type SandboxPartner,
} from '@vuka/testing';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-boot-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const REFUSED_WITHIN_MS = 20_000;

/** A refused start explains itself and leaves nothing running. */
async function refused(env: Record<string, string>, dataDir = join(folder, 'refused')): Promise<string> {
  const vuka = new VukaProcess(dataDir, { env, dataDir });
  const { code, output } = await vuka.runToEnd(REFUSED_WITHIN_MS);
  expect(code).toBe(1);
  expect(vuka.postgresPid()).toBeNull();
  return output;
}

async function anyFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Allowed values are tested where they are read; this only checks that a start reports them. */
const BAD_SETTINGS: readonly [name: string, env: Record<string, string>][] = [
  ['PORT', { PORT: 'eighty' }],
  ['PORT', { PORT: '65536' }],
  ['HOST', { HOST: 'no host' }],
  ['VUKA_ENV', { VUKA_ENV: 'production' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ['WEBHOOK_ALLOW_PRIVATE', { WEBHOOK_ALLOW_PRIVATE: 'yes' }],
  ['WEBHOOK_ALLOW_PRIVATE', { WEBHOOK_ALLOW_PRIVATE: 'true', VUKA_ENV: 'live' }],
];

describe('settings', () => {
  it.each(drawn('bad settings', BAD_SETTINGS, 3))('a bad %s is refused by name: %j', async (name, env) => {
    expect(await refused(env)).toMatch(new RegExp(`✗.*\\b${name} must be `));
    expect(existsSync(join(folder, 'refused'))).toBe(false);
  });

  it('a port in use is named', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const output = await refused({ PORT: String(port) });
    server.close();
    expect(output).toMatch(new RegExp(`✗ Another program uses port ${port} `));
    expect(output).toMatch(/PORT=/);
  });
});

describe('a data folder', () => {
  const dataDir = (): string => join(folder, 'kept');
  let first: { partners: readonly SandboxPartner[]; text: string; wallets: Map<string, bigint> };
  let vuka: VukaProcess;
  let receiver: WebhookReceiver;
  let client: ApiClient;
  let checker: OutsideChecker;
  const sandboxText = (): string => readFileSync(join(dataDir(), 'sandbox.json'), 'utf8');

  beforeAll(async () => {
    vuka = await startVuka({ profile: 'embedded', dataDir: dataDir(), env: { PORT: String(await anyFreePort()) } });
    receiver = await WebhookReceiver.start(vuka.partners);
    client = new ApiClient(vuka, vuka.partner(), { persists: true });
    checker = await OutsideChecker.begin(vuka, [client], receiver);
    first = { partners: vuka.partners, text: sandboxText(), wallets: await client.wallets() };
  }, 90_000);

  afterAll(async () => {
    await receiver.stop();
    await client.close();
    await vuka.dispose();
  }, 60_000);

  const accept = async (reference: string): Promise<void> => {
    const answer = await client.bankTransfer('KES', {
      amount: 100,
      account_number: accountNumber(),
      bank_code: '01',
      reference,
      callback_url: receiver.url(),
    });
    expect(answer.status).toBe(200);
  };

  it('has a sandbox.json that says what to call, readable only for its owner', () => {
    const { base_url, docs_url, partners } = vuka.sandboxFile() ?? {};
    expect(base_url).toBe(vuka.baseUrl);
    expect(docs_url).toBe(`${base_url ?? ''}/docs`);
    expect(partners?.length).toBe(2);
    for (const partner of partners ?? []) {
      expect(partner).toEqual({
        id: expect.any(Number),
        name: expect.any(String),
        consumer_key: expect.stringMatching(/^vk_test_consumer_/),
        checkout_key: expect.stringMatching(/^vk_test_checkout_/),
        webhook_secret: expect.stringMatching(/^whsec_/),
      });
    }
    expect(statSync(join(dataDir(), 'sandbox.json')).mode & 0o077).toBe(0);
    expect(vuka.output()).toContain('curl');
    expect(vuka.output()).toContain(vuka.baseUrl);
  });

  it('says first of all which build made it', async () => {
    const made = (name: string): number => statSync(join(dataDir(), name)).birthtimeMs;
    const format = await formatOfThisBuild();
    expect(format).toMatch(/^[0-9a-f]{16}$/);
    // Contains the digest of every schema's SQL: the bundle must run the sources' SQL.
    expect(JSON.parse(readFileSync(join(dataDir(), 'build.json'), 'utf8'))).toEqual({ format });
    expect(made('build.json')).toBeLessThanOrEqual(Math.min(...['secrets.json', 'postgres'].map(made)));
  });

  it('is left in order by Ctrl-C, and no process stays', async () => {
    await accept('before-stop');
    const server = vuka.postgresPid();
    expect(server).not.toBeNull();
    expect(await vuka.stop('SIGINT')).toBe(0);
    expect(vuka.postgresPid()).toBeNull();
    expect(existsSync(`/proc/${String(server)}`)).toBe(false);
    await expect(fetch(`${vuka.baseUrl}/health/live`)).rejects.toThrow();
    expect(vuka.output()).not.toMatch(/"level":"(error|fatal)"/);
  }, 40_000);

  it('is found again: the same sandbox.json, the money, and what was open is finished', async () => {
    await vuka.restart();
    expect(sandboxText()).toBe(first.text);
    expect(vuka.partners).toEqual(first.partners);
    await receiver.waitForFinal('before-stop', 60_000);
    expect((await client.wallets()).get('KES')).toBe((first.wallets.get('KES') ?? 0n) - 13_000n);
    for (const [currency, balance] of await client.wallets())
      if (currency !== 'KES') expect([currency, balance]).toEqual([currency, first.wallets.get(currency)]);
  }, 90_000);

  it('loses nothing that was answered while it was stopping', async () => {
    const sending = Array.from({ length: 60 }, (_, index) =>
      accept(`stopping-${index}`).catch((error: unknown) => error),
    );
    await until(() => client.sent.some(({ code, outcome }) => code.startsWith('stopping-') && outcome === 'accepted'), {
      withinMs: 5_000,
      what: 'a first one is accepted',
      everyMs: 1,
    });
    const code = await vuka.stop('SIGTERM');
    await Promise.all(sending);
    expect(code).toBe(0);
    await vuka.restart();
    await checker.expectSound();
  }, 240_000);

  it('of the sandbox is refused to live, and the other way round, by name', async () => {
    expect(await vuka.stop()).toBe(0);
    expect(await refused({ VUKA_ENV: 'live', ...AS_ROOT }, dataDir())).toMatch(/✗.*belongs to VUKA_ENV=sandbox/);
  }, 40_000);
});

describe('a data folder of another build', () => {
  const refusalOf = (dataDir: string): string =>
    `Another build of Vuka made the data folder ${dataDir}. Nothing in it was changed.`;

  it('is refused by name for a start, a command and a stack, and is not changed', async () => {
    const dataDir = join(folder, 'another');
    makeEarlierFolder(dataDir);
    const before = folderPrint(dataDir);
    expect(await refused({}, dataDir)).toContain(
      `✗ ${refusalOf(dataDir)}\n  Name another folder with VUKA_DATA_DIR. Or remove this one`,
    );
    expect(folderPrint(dataDir)).toEqual(before);
    // For the ledger check, 1 means a broken rule.
    for (const [script, words, ends] of [
      ['vuka', ['stuck'], 1],
      ['vuka', ['cipher-rotate'], 1],
      ['ledger-check', [], 3],
      ['stack', [], 1],
    ] as const) {
      const { code, output } = await runScript({ dataDir }, script, words);
      expect([script, code, output]).toEqual([script, ends, expect.stringContaining(refusalOf(dataDir))]);
      expect(folderPrint(dataDir)).toEqual(before);
    }
  }, 120_000);
});

/** Machines that run the suites as root. */
const AS_ROOT = process.getuid?.() === 0 ? { VUKA_ACCEPT_RISK: 'runs-as-root' } : {};

describe('live', () => {
  it('starts without play money and without keys in a file', async () => {
    const vuka = await startVuka({
      profile: 'embedded',
      dataDir: join(folder, 'live'),
      env: { VUKA_ENV: 'live', ...AS_ROOT },
    });
    expect(vuka.sandboxFile()).toBeNull();
    expect(vuka.partners).toEqual([]);
    expect((await fetch(`${vuka.baseUrl}/v1/banks`, { method: 'POST' })).status).toBe(401);
    expect(await vuka.stop()).toBe(0);
  }, 90_000);
});
