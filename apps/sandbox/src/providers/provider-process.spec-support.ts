import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { transformFile } from '@swc/core';

export interface ProviderProgram {
  /** Resolves once it answers; rejects if it ends before. */
  start(folder: string, credential: string): Promise<ProviderProcess>;
  remove(): Promise<void>;
}

export interface ProviderProcess {
  readonly baseUrl: string;
  /** Exit code; null after a kill. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

/** Only the provider's sources, as it imports nothing of ours. */
export async function buildProviderProgram(): Promise<ProviderProgram> {
  const source = import.meta.dirname;
  // Inside node_modules, so that packages resolve.
  const cache = join(source, '../../../node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const target = await mkdtemp(join(cache, 'sandbox-provider-'));
  await writeFile(join(target, 'package.json'), '{"type":"module"}');
  const files = (await readdir(source, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.includes('.spec'),
  );
  for (const name of files) {
    const { code } = await transformFile(join(source, name), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    await mkdir(join(target, dirname(name)), { recursive: true });
    await writeFile(join(target, name.replace(/ts$/, 'js')), code);
  }
  return {
    start: (folder, credential) => startProcess(join(target, 'main.js'), folder, credential),
    remove: () => rm(target, { recursive: true, force: true }),
  };
}

async function startProcess(main: string, folder: string, credential: string): Promise<ProviderProcess> {
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      SANDBOX_PROVIDER_FOLDER: folder,
      SANDBOX_PROVIDER_PORT: '0',
      SANDBOX_PROVIDER_CREDENTIAL: credential,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const baseUrl = await readyAddress(child);
  child.stdout?.resume();
  return {
    baseUrl,
    end: async (signal) => {
      const ended = once(child, 'exit') as Promise<[number | null]>;
      child.kill(signal);
      return (await ended)[0];
    },
  };
}

function readyAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the provider ended with ${code}: ${errors}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const { baseUrl } = JSON.parse(line) as { baseUrl?: string };
      if (baseUrl !== undefined) resolve(baseUrl);
    });
  });
}
