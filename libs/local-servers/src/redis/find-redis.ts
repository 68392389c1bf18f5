import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { cacheFolder } from '../cache-folder.js';
import { unpackDebian, type Unpacked } from '../debian-packages.js';
import type { FindOptions } from '../kafka/find-kafka.js';

export interface RedisProgram {
  readonly ok: true;
  readonly version: string;
  readonly server: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Required by BullMQ. */
const LEAST_VERSION = [6, 2] as const;
const ASK_TIMEOUT_MS = 10_000;

/** `VUKA_REDIS_SERVER`, PATH, or Debian's package in the cache (1.4 MB, not installed). Never throws. */
export async function findRedis({ tell = () => undefined, env = process.env }: FindOptions = {}): Promise<
  RedisProgram | { readonly ok: false; readonly why: string }
> {
  const named = env['VUKA_REDIS_SERVER'];
  if (named) {
    const version = await versionOf(named, env);
    return usable(version)
      ? { ok: true, version, server: named, env: {} }
      : { ok: false, why: `VUKA_REDIS_SERVER is ${named}, which is ${told(version)}` };
  }
  const onPath = await versionOf('redis-server', env);
  if (usable(onPath)) return { ok: true, version: onPath, server: 'redis-server', env: {} };
  const folder = await cacheFolder('debian', env);
  const works = async (unpacked: Unpacked): Promise<boolean> => usable((await inside(unpacked, env)).version);
  const unpacked = await unpackDebian({ name: 'redis-server', folder, works, tell });
  if (unpacked.ok) {
    const { server, version, libraries } = await inside(unpacked, env);
    if (version !== undefined) return { ok: true, version, server, env: libraries };
  }
  const why = unpacked.ok ? 'the unpacked one does not run' : unpacked.why;
  return {
    ok: false,
    why: `There is no redis-server on PATH (${told(onPath)}), and ${why}. Install Redis 7 (Debian, Ubuntu: redis-server; macOS: brew install redis) or set VUKA_REDIS_SERVER.`,
  };
}

async function inside(
  { root, libraries }: Unpacked,
  env: NodeJS.ProcessEnv,
): Promise<{ server: string; version: string | undefined; libraries: NodeJS.ProcessEnv }> {
  const server = join(root, 'root', 'usr', 'bin', 'redis-server');
  const more = {
    LD_LIBRARY_PATH: [...libraries, ...(env['LD_LIBRARY_PATH'] ? [env['LD_LIBRARY_PATH']] : [])].join(delimiter),
  };
  return { server, version: await versionOf(server, { ...env, ...more }), libraries: more };
}

/** From `Redis server v=7.0.15 sha=…`; undefined if it does not run. */
async function versionOf(server: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(server, ['--version'], { env, timeout: ASK_TIMEOUT_MS });
    return /\bv=(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

function usable(version: string | undefined): version is string {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  return major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1]);
}

const told = (version: string | undefined): string =>
  version === undefined ? 'none that runs' : `Redis ${version}, older than ${LEAST_VERSION.join('.')}`;
