import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { formatOfThisBuild } from '@vuka/data-folder';
import { until, VukaProcess } from '@vuka/testing';

import { ROOT } from '../command/run.mjs';

const READY_MS = 90_000;
const STOP_MS = 30_000;
/** A start waits ten seconds for another Vuka to leave the folder. */
const REFUSE_MS = 20_000 + STOP_MS;
const TEST_MS = 180_000;

let folder;
let started;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-start-'));
  started = [];
});

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  for (const pid of [lockHolder(), databasePid(), ...new VukaProcess(folder).chainPids()]) endQuietly(pid);
  await rm(folder, { recursive: true, force: true });
});

const NO_CHAINS = { VUKA_SANDBOX_CHAINS: 'none' };
const ONE_CHAIN = { VUKA_SANDBOX_CHAINS: 'CELO' };

function launch(command = [process.execPath, 'tools/start/start.mjs'], env = NO_CHAINS) {
  const child = spawn(command[0], command.slice(1), {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', VUKA_DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run = { child, output: '', exitCode: undefined };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (run.output += text));
  child.once('exit', (code, signal) => (run.exitCode = code ?? signal));
  started.push(run);
  return run;
}

async function ready(run) {
  await until(() => run.output.includes('Vuka is ready') || run.exitCode !== undefined, {
    withinMs: READY_MS,
    what: 'Vuka ready',
  }).catch((error) => {
    throw new Error(`${error.message}\n${run.output}`, { cause: error });
  });
  expect(run.output).toContain('Vuka is ready');
  return run;
}

const ended = (run, withinMs = STOP_MS) =>
  until(() => run.exitCode !== undefined && { code: run.exitCode }, { withinMs, what: 'the end of Vuka' });
const gone = (pid) => until(() => !isRunning(pid), { withinMs: STOP_MS, what: `the end of process ${pid}` });
const sandboxFile = () => readFile(join(folder, 'sandbox.json'), 'utf8').then(JSON.parse);
const buildFile = () => readFile(join(folder, 'build.json'), 'utf8').then(JSON.parse);

function firstNumber(path) {
  try {
    return parseInt(readFileSync(join(folder, path), 'utf8'), 10);
  } catch {
    return undefined;
  }
}

const lockHolder = () => firstNumber('vuka.lock');
const databasePid = () => firstNumber('postgres/data/postmaster.pid');

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function endQuietly(pid) {
  if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL');
}

async function expectOrderlyEnd(run, signal) {
  const database = databasePid();
  expect(isRunning(database)).toBe(true);
  run.child.kill(signal);
  expect(await ended(run)).toEqual({ code: 0 });
  expect(isRunning(database)).toBe(false);
  expect(lockHolder()).toBeUndefined();
}

describe('npm start', () => {
  it(
    'stops everything in order on SIGINT, with all its chains, and reports it by its exit code',
    async () => {
      const run = await ready(launch(undefined, {}));
      await expectOrderlyEnd(run, 'SIGINT');
    },
    TEST_MS,
  );

  it(
    'starts again after kill -9, with the same keys, and leaves no database behind; stops with a npm that was killed',
    async () => {
      const first = await ready(launch(undefined, ONE_CHAIN));
      // The digest of every schema's SQL shows that `npm start` runs the sources' SQL.
      expect(await buildFile()).toEqual({ format: await formatOfThisBuild() });
      const partners = (await sandboxFile()).partners;
      const orphan = databasePid();
      first.child.kill('SIGKILL');
      await ended(first);
      const start = `require('child_process').spawn(process.execPath, ['tools/start/start.mjs'], { stdio: 'inherit' })`;
      const npm = await ready(launch([process.execPath, '-e', start], { ...ONE_CHAIN, npm_lifecycle_event: 'start' }));
      await gone(orphan);
      expect((await sandboxFile()).partners).toEqual(partners);
      const { base_url } = await sandboxFile();
      expect((await fetch(`${base_url}/health/ready`)).status).toBe(200);
      const [vuka, database] = [lockHolder(), databasePid()];
      expect(vuka).not.toBe(npm.child.pid);
      npm.child.kill('SIGKILL');
      await gone(vuka);
      await gone(database);
      expect(lockHolder()).toBeUndefined();
    },
    TEST_MS,
  );

  it(
    'refuses a folder that another Vuka uses, and names it, without harm; that one stops in order on SIGHUP',
    async () => {
      const first = await ready(launch());
      const second = launch();
      expect(await ended(second, REFUSE_MS)).toEqual({ code: 1 });
      expect(second.output).toContain(`Another Vuka (process ${first.child.pid}) uses the data folder`);
      const { base_url } = await sandboxFile();
      expect((await fetch(`${base_url}/health/ready`)).status).toBe(200);
      await expectOrderlyEnd(first, 'SIGHUP');
    },
    TEST_MS,
  );

  it.each([
    [{ PORT: '65536' }, 'PORT must be'],
    [{ VUKA_ENV: 'production' }, 'VUKA_ENV must be'],
  ])('refuses %j by name', async (env, message) => {
    const run = launch(undefined, env);
    expect(await ended(run)).toEqual({ code: 1 });
    expect(run.output).toContain(message);
  });
});
