import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  ApiClient,
  askStack,
  atDepth,
  commandOf,
  ledgerCheck,
  readRunFile,
  until,
  watchStatus,
  type SandboxPartner,
  type StackStatus,
} from '@vuka/testing';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_WITHIN_MS = 300_000;
const COMMAND_WITHIN_MS = 300_000;
const BACK_WITHIN_MS = 120_000;
const LIMITS = { RATE_LIMIT_PARTNER: 'off', RATE_LIMIT_LOOKUPS: 'off' };

let folder: string;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

let command: readonly string[] = ['tools/vuka/stack.mjs'];

function stack(...words: string[]): Promise<Ran> {
  const broker = process.env['VUKA_TEST_KAFKA_URL'] ?? '';
  const env = {
    ...process.env,
    ...LIMITS,
    VUKA_STACK_DIR: folder,
    VUKA_SANDBOX_CHAINS: 'CELO',
    PORT: '0',
    ...(broker !== '' && { VUKA_STACK_KAFKA: broker }),
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...command, ...words],
      { cwd: ROOT, env, timeout: COMMAND_WITHIN_MS },
      (error, out, errors) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, errors });
      },
    );
  });
}

type Told = StackStatus & { readonly supervisor: { readonly pid: number } | null };

/** Asks the supervisor directly, because loading the command takes longer. */
async function status(): Promise<Told> {
  const told = await askStack(folder, { do: 'status' });
  if (told === undefined) throw new Error('the supervisor told no status');
  return told as Told;
}

const memberOf = ({ members }: StackStatus, name: string): StackStatus['members'][number] | undefined =>
  members.find((member) => member.name === name);
const pidsOf = (members: StackStatus['members']): number[] => members.flatMap(({ pid }) => (pid === null ? [] : [pid]));

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const allGone = (pids: readonly number[]): Promise<boolean> =>
  until(() => !pids.some(isRunning), { withinMs: BACK_WITHIN_MS, what: 'every process is gone' });
const whole = (): Promise<StackStatus> =>
  until(
    async () => {
      const found = await status();
      return found.ok && found;
    },
    { withinMs: BACK_WITHIN_MS, what: 'everything runs', everyMs: 100 },
  );

/** Pids of the servers after kill -9 of the supervisor, at its start or when all runs; other processes have ended. */
async function leaveServers(when: 'starting' | 'running'): Promise<readonly number[]> {
  const before = readRunFile(folder)?.supervisor.pid;
  const started = stack();
  if (when === 'running') expect((await started).code).toBe(0);
  const { supervisor, processes } = await until(
    () => {
      const now = readRunFile(folder);
      return (
        now !== null &&
        now.supervisor.pid !== before &&
        now.processes.some(({ name, pid }) => name === 'postgres' && isRunning(pid)) &&
        now
      );
    },
    { withinMs: START_WITHIN_MS, what: 'its PostgreSQL runs' },
  );
  process.kill(supervisor.pid, 'SIGKILL');
  await Promise.all([
    started,
    allGone([supervisor.pid, ...processes.filter(({ kind }) => kind !== 'server').map(({ pid }) => pid)]),
  ]);
  return processes.filter(({ kind }) => kind === 'server').map(({ pid }) => pid);
}

async function pays(): Promise<string> {
  const directory = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8')) as {
    base_url: string;
    partners: readonly SandboxPartner[];
  };
  const client = new ApiClient({ baseUrl: directory.base_url }, directory.partners[0] as SandboxPartner, {
    persists: true,
  });
  try {
    const reference = `stack-${Date.now()}`;
    const answer = await client.bankTransfer('KES', {
      amount: 100,
      account_number: accountNumber(),
      bank_code: '01',
      reference,
    });
    expect(answer.status).toBe(200);
    return (await watchStatus(client, reference, 'COMPLETE', BACK_WITHIN_MS)).row.status;
  } finally {
    await client.close();
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vuka-stack-test-'));
});

afterAll(async () => {
  await stack('stop');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}, COMMAND_WITHIN_MS);

describe('npm run stack', () => {
  let first: StackStatus;
  let keys: unknown;
  let left: readonly number[] = [];
  const sandbox = (): { partners: unknown } =>
    JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8')) as { partners: unknown };

  it(
    'says that no stack runs before the first start',
    async () => {
      expect(await stack('status')).toMatchObject({ code: 1, out: expect.stringContaining('does not run') });
      expect(await stack('restart', 'payments')).toMatchObject({
        code: 1,
        errors: expect.stringContaining('There is no stack in'),
      });
      expect(await stack('begin')).toMatchObject({
        code: 2,
        errors: expect.stringContaining('There is no command begin.'),
      });
    },
    COMMAND_WITHIN_MS,
  );

  it(
    'returns when everything is ready, prints its addresses, and logs no key',
    async () => {
      const { code, out } = await stack();
      expect({ code, trouble: out.split('\n').filter((line) => line.includes('✗')) }).toEqual({ code: 0, trouble: [] });
      expect(out).toMatch(/Vuka is ready: http:\/\/127\.0\.0\.1:\d+ .*distributed sandbox/);
      expect(out.match(/curl -s/g)).toHaveLength(3);
      expect(readFileSync(join(folder, 'logs/stack.log'), 'utf8')).not.toContain('vk_test_');
      keys = sandbox().partners;
      expect(await pays()).toBe('COMPLETE');
      expect((await ledgerCheck({ dataDir: folder })).code).toBe(0);
    },
    START_WITHIN_MS,
  );

  it(
    'tells of each process, and that it runs already',
    async () => {
      first = JSON.parse((await stack('status', '--json')).out) as Told;
      expect(first.ok).toBe(true);
      expect(first.members.map(({ name }) => name)).toEqual([
        'postgres',
        'kafka',
        'redis',
        'chain-celo',
        'sandbox-provider',
        'sandbox-provider-b',
        'gateway',
        'payments',
        'validation',
        'offramp',
        'checkout',
        'notifier',
        'admin',
      ]);
      expect(await stack('status')).toMatchObject({ code: 0, out: expect.stringContaining('✓ Everything runs.') });
      expect(await stack()).toMatchObject({ code: 0, out: expect.stringContaining('runs already') });
      expect((await stack('logs', 'payments', '--lines', '200')).out).toContain('internal_url=');
      command = commandOf('stack');
    },
    COMMAND_WITHIN_MS,
  );

  it(
    'starts a service again that was killed -9, and counts it',
    async () => {
      const before = memberOf(first, 'payments');
      expect((await stack('kill', 'payments')).code).toBe(0);
      const after = await until(
        async () => {
          const found = await whole();
          const payments = memberOf(found, 'payments');
          return payments?.pid !== before?.pid && payments;
        },
        { withinMs: BACK_WITHIN_MS, what: 'payments is back' },
      );
      expect(after).toMatchObject({ restarts: 1, ports: before?.ports });
      expect(await pays()).toBe('COMPLETE');
    },
    COMMAND_WITHIN_MS,
  );

  it(
    'stops one and starts it again, and says meanwhile that it is down',
    async () => {
      expect((await stack('stop', 'validation')).code).toBe(0);
      expect(await stack('status')).toMatchObject({ code: 1, out: expect.stringContaining('✗ validation: stopped') });
      expect((await stack('start', 'validation')).code).toBe(0);
      expect((await status()).ok).toBe(true);
    },
    COMMAND_WITHIN_MS,
  );

  it(
    'runs a service and the gateway twice, and pays when one of each dies',
    async () => {
      expect((await stack('scale', 'payments', '2')).code).toBe(0);
      expect((await stack('scale', 'gateway', '2')).code).toBe(0);
      const { gateways, members } = await whole();
      expect(members.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['payments', 'payments-2', 'gateway', 'gateway-2']),
      );
      expect(await Promise.all(gateways.map(async (url) => (await fetch(`${url}/health/ready`)).status))).toEqual([
        200, 200,
      ]);
      expect((await stack('stop', 'payments-2')).code).toBe(0);
      expect(await pays()).toBe('COMPLETE');
      expect((await stack('scale', 'payments', '1')).code).toBe(0);
      expect((await stack('scale', 'gateway', '1')).code).toBe(0);
      expect(await pays()).toBe('COMPLETE');
    },
    2 * COMMAND_WITHIN_MS,
  );

  it(
    'leaves no service behind a supervisor that was killed -9',
    async () => {
      const { supervisor, members } = await status();
      const [servers, ours] = [
        members.filter(({ kind }) => kind === 'server'),
        members.filter(({ kind }) => kind !== 'server'),
      ];
      process.kill(supervisor?.pid ?? 0, 'SIGKILL');
      await allGone(pidsOf(ours));
      expect(pidsOf(servers).every(isRunning)).toBe(true);
      expect(await stack('status')).toMatchObject({
        code: 1,
        out: expect.stringContaining('Its supervisor is gone and left'),
      });
      left = pidsOf(members);
    },
    COMMAND_WITHIN_MS,
  );

  it(
    'ends the processes of a killed supervisor with the command stop',
    async () => {
      expect(await stack('stop')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/Ended processes that a killed stack had left: .*postgres/),
      });
      await allGone(left);
    },
    COMMAND_WITHIN_MS,
  );

  it(
    'ends the servers of a supervisor that was killed -9 at the next start, with the keys that it had',
    async () => {
      const servers = await leaveServers(atDepth({ commit: 'starting', whole: 'running' }));
      expect([servers.length > 0, servers.every(isRunning)]).toEqual([true, true]);
      expect((await stack()).code).toBe(0);
      expect((await status()).ok).toBe(true);
      await allGone(servers);
      expect(sandbox().partners).toEqual(keys);
      expect(await pays()).toBe('COMPLETE');
    },
    3 * START_WITHIN_MS,
  );

  it(
    'stops in order and leaves no process',
    async () => {
      const { supervisor, members } = await status();
      expect(await stack('stop')).toMatchObject({ code: 0, out: expect.stringContaining('has stopped') });
      expect([supervisor?.pid ?? 0, ...pidsOf(members)].filter(isRunning)).toEqual([]);
      expect(existsSync(join(folder, 'vuka.lock'))).toBe(false);
      expect(await stack('status')).toMatchObject({ code: 1 });
    },
    START_WITHIN_MS,
  );
});
