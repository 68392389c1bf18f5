import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { transformSync } from '@swc/core';
import { createLogger } from '@vuka/runtime';
import { Client } from 'pg';

import type { AdminLogin } from '../service-logins.js';

export const log = createLogger('test', { level: 'silent' });

/** Mode 0700. */
export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'vuka-persistence-'));
}

export async function ask<T = Record<string, unknown>>(
  { host, port, user, password }: AdminLogin,
  sql: string,
  database = 'postgres',
): Promise<T[]> {
  const client = new Client({ host, port, user, password, database, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Throws after 20 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error('the condition did not come true within 20 s');
    await sleep(20);
  }
}

const LAUNCHER_FILES = ['embedded-postgres', 'postgres-binaries', 'server-account', 'server-folder'];
/** Needed from @vuka/runtime. */
const RUNTIME_FILES = ['folder-claim', 'process-identity'];

/** In another Node process, which can be killed; resolves with the server's id. */
export async function launchElsewhere(
  workFolder: string,
  folder: string,
): Promise<{ launcher: ChildProcess; serverPid: number }> {
  const code = join(workFolder, 'launcher');
  await mkdir(code);
  const sources = [
    ...LAUNCHER_FILES.map((file) => `./${file}`),
    ...RUNTIME_FILES.map((file) => `../../../runtime/src/process/${file}`),
  ];
  for (const path of sources) {
    const source = readFileSync(new URL(`${path}.ts`, import.meta.url), 'utf8').replaceAll(
      "'@vuka/runtime'",
      "'./runtime.js'",
    );
    const { code: text } = transformSync(source, {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    writeFileSync(join(code, `${basename(path)}.js`), text);
  }
  writeFileSync(join(code, 'runtime.js'), RUNTIME_FILES.map((file) => `export * from './${file}.js';`).join('\n'));
  writeFileSync(join(code, 'package.json'), '{"type":"module"}');
  symlinkSync(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(code, 'node_modules'));
  writeFileSync(
    join(code, 'main.js'),
    `import { startEmbeddedPostgres } from './embedded-postgres.js';
     const quiet = () => undefined;
     const log = { info: quiet, warn: quiet, error: quiet };
     const server = await startEmbeddedPostgres({ folder: process.argv[2], durable: true, log });
     console.log(server.pid);
     process.stdin.resume().on('end', () => process.exit(0));`,
  );
  const launcher = spawn(process.execPath, [join(code, 'main.js'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const [line] = (await once(createInterface(launcher.stdout), 'line')) as [string];
  return { launcher, serverPid: Number(line) };
}
