import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { giveUp } from '../progress.mjs';
import { ROOT } from '../run.mjs';
import { UNREACHED_LIMITS } from '../unreached-limits.mjs';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;
const HEALTH_WITHIN_MS = 2_000;

/** The sandbox that runs on VUKA_DATA_DIR, else one of our own in a temporary folder, which `strike()` stops and removes. */
export async function setStage(announce) {
  const dataDir = resolve(ROOT, process.env.VUKA_DATA_DIR || '.vuka');
  const running = await runningSandbox(dataDir);
  if (running !== undefined) return { ...running, isOurs: false, strike: async () => undefined };
  announce('No sandbox runs here, so this starts one of its own (a real PostgreSQL, six services, two payout rails) …');
  return startSandbox();
}

async function runningSandbox(dataDir) {
  const directory = sandboxFile(dataDir);
  if (directory === undefined) return undefined;
  const answer = await fetch(`${directory.base_url}/health/ready`, { signal: AbortSignal.timeout(HEALTH_WITHIN_MS) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200 ? { dataDir, baseUrl: directory.base_url, partner: directory.partners[0] } : undefined;
}

function sandboxFile(dataDir) {
  const file = join(dataDir, 'sandbox.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

async function startSandbox() {
  const dataDir = await mkdtemp(join(tmpdir(), 'vuka-demo-'));
  const logFile = `${dataDir}.log`;
  const log = openSync(logFile, 'a', 0o600);
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['apps/standalone/dist/main.js'], {
    cwd: ROOT,
    // A Ctrl-C is for us: we stop it.
    detached: process.platform !== 'win32',
    env: { PATH, HOME, VUKA_DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', ...UNREACHED_LIMITS },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'exit');
  const strike = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await Promise.race([ended, pause(STOP_WITHIN_MS, undefined, { ref: false })]);
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    }
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    await rm(logFile, { force: true });
  };
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  while (!readFileSync(logFile, 'utf8').includes('Vuka is ready')) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > giveUpAt) {
      const said = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-12).join('\n  ');
      await strike();
      giveUp('The sandbox did not start. The end of its log:', said);
    }
    await pause(25);
  }
  const { base_url: baseUrl, partners } = sandboxFile(dataDir);
  return { dataDir, baseUrl, partner: partners[0], isOurs: true, strike };
}
