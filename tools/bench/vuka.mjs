import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { ROOT } from '../command/run.mjs';
import { UNREACHED_LIMITS } from '../generate/unreached-limits.mjs';
import { processorSeconds } from './machine.mjs';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;
const QUIET_WITHIN_MS = 15_000;
const QUIET_SHARE = 0.12;
const SAMPLE_MS = 300;

/** Like `npm start`: durable commits, new folder, free port; no chains unless `env` names some. */
export async function startVuka(env = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-bench-'));
  const logFile = `${folder}.log`;
  const log = openSync(logFile, 'a');
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['apps/standalone/dist/main.js'], {
    cwd: ROOT,
    env: {
      PATH,
      HOME,
      VUKA_DATA_DIR: folder,
      PORT: '0',
      HOST: '127.0.0.1',
      VUKA_SANDBOX_CHAINS: 'none',
      ...UNREACHED_LIMITS,
      ...env,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'exit');
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  while (!readFileSync(logFile, 'utf8').includes('Vuka is ready')) {
    if (child.exitCode !== null || Date.now() > giveUpAt)
      throw new Error(`Vuka did not start:\n${readFileSync(logFile, 'utf8')}`);
    await pause(25);
  }
  const { base_url, partners } = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  const postgres = parseInt(readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8'), 10);
  return {
    baseUrl: base_url,
    partners,
    folder,
    processor: () => ({
      node: processorSeconds(child.pid),
      postgres: processorSeconds(postgres, { withChildren: true }),
    }),
    /** By process: chain nodes are separate, the sandbox's provider runs in Vuka's process. */
    processes: () => {
      const node = processorSeconds(child.pid);
      const children = processorSeconds(child.pid, { withChildren: true }) - node;
      return {
        node,
        postgres: processorSeconds(postgres, { withChildren: true }),
        chain: children - processorSeconds(postgres),
      };
    },
    stop: async () => {
      child.kill('SIGINT');
      await Promise.race([ended, pause(STOP_WITHIN_MS, undefined, { ref: false })]);
      if (child.exitCode === null) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      if (existsSync(logFile)) await rm(logFile);
    },
  };
}

export async function untilQuiet(vuka, withinMs = QUIET_WITHIN_MS) {
  const giveUpAt = Date.now() + withinMs;
  for (let share = 1; share > QUIET_SHARE && Date.now() < giveUpAt;) {
    const before = vuka.processor().node;
    await pause(SAMPLE_MS);
    share = (vuka.processor().node - before) / (SAMPLE_MS / 1_000);
  }
}
