import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { giveUp } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';
import { UNREACHED_LIMITS } from '../generate/unreached-limits.mjs';

const HEALTH_WITHIN_MS = 2_000;
/** Delays the refund of a failed pay beyond anything the tour waits for in that step. */
const REFUND_WAITS_MS = 600_000;
const PASSED_ON = ['PATH', 'HOME', 'ANVIL_BIN', 'VUKA_SANDBOX_CHAINS', 'VUKA_STACK_KAFKA'];

/** Kafka's jars may have to be downloaded before the first stack. */
const EMBEDDED = {
  folder: () => process.env.VUKA_DATA_DIR || '.vuka',
  none: 'No sandbox runs here, so the demo starts its own (a real PostgreSQL, six services, two payout providers, nine chains) …',
  program: ['apps/standalone/dist/main.js'],
  readyWithinMs: 60_000,
  stopWithinMs: 20_000,
};
const STACK = {
  folder: () => process.env.VUKA_STACK_DIR || process.env.VUKA_DATA_DIR || '.vuka-stack',
  none: 'No stack runs here, so the demo starts its own (Kafka, Redis, PostgreSQL, six services, two payout providers, nine chains: each a process) …',
  program: ['apps/stack/dist/main.js', '--foreground'],
  readyWithinMs: 300_000,
  stopWithinMs: 60_000,
};

/** The running sandbox (or stack), or a temporary one, which `strike()` stops and removes. */
export async function setStage({ onStack }, announce) {
  const kind = onStack ? STACK : EMBEDDED;
  const running = await runningSandbox(resolve(ROOT, kind.folder()));
  if (running !== undefined) return { ...running, isOurs: false, strike: async () => undefined };
  announce(kind.none);
  return startSandbox(kind);
}

async function runningSandbox(dataDir) {
  const directory = sandboxFile(dataDir);
  if (directory === undefined) return undefined;
  const answer = await fetch(`${directory.base_url}/health/ready`, {
    signal: AbortSignal.timeout(HEALTH_WITHIN_MS),
  }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200 ? { dataDir, notices: [], ...fixtureOf(directory) } : undefined;
}

function fixtureOf({ base_url: baseUrl, partners: [partner, other], chains = {} }) {
  return { baseUrl, partner, other, chains };
}

function sandboxFile(dataDir) {
  const file = join(dataDir, 'sandbox.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function passedOn() {
  return Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

async function startSandbox({ program, readyWithinMs, stopWithinMs }) {
  const dataDir = await mkdtemp(join(tmpdir(), 'vuka-demo-'));
  const logFile = `${dataDir}.log`;
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    detached: process.platform !== 'win32',
    // Blocks stay unfinal for a while, so that paid transfers can be reversed; and a late payment comes before the
    // refund.
    env: {
      ...passedOn(),
      VUKA_TEST_CHAIN_EPOCH: '8',
      VUKA_TEST_REFUND_SAFE_MS: String(REFUND_WAITS_MS),
      VUKA_DATA_DIR: dataDir,
      PORT: '0',
      HOST: '127.0.0.1',
      ...UNREACHED_LIMITS,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'exit');
  const strike = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await Promise.race([ended, pause(stopWithinMs, undefined, { ref: false })]);
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    }
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    await rm(logFile, { force: true });
  };
  const giveUpAt = Date.now() + readyWithinMs;
  while (!readFileSync(logFile, 'utf8').includes('Vuka is ready')) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > giveUpAt) {
      const said = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-12).join('\n  ');
      await strike();
      giveUp('The sandbox did not start. The end of its log:', said);
    }
    await pause(25);
  }
  const notices = readFileSync(logFile, 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('  ! ') ? [line.slice(4)] : []));
  return { dataDir, notices, ...fixtureOf(sandboxFile(dataDir)), isOurs: true, strike };
}
