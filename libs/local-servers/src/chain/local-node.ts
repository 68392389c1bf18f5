import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { LocalServer, LocalServerOptions } from '../local-server.js';
import { serverEnvironment, startNative, type NativeProgram } from '../native-server.js';

export interface LocalNodeOptions extends LocalServerOptions {
  /** For people: `solana-node`. */
  readonly name: string;
  /**
   * Node module: takes `--folder` and `--port`, writes `listens.json` once it listens, saves and ends on
   * SIGTERM.
   */
  readonly program: string;
}

export interface LocalNode extends LocalServer {
  readonly url: string;
}

/** Throws with the end of its log. */
export async function startLocalNode(options: LocalNodeOptions): Promise<LocalNode> {
  if (!existsSync(options.program)) throw new Error(`${options.program} is missing: build first (npm run build)`);
  const server = await startNative(options, ({ path }) => Promise.resolve(program(options, path)));
  return { ...server, url: `http://${server.host}:${server.port}` };
}

function program({ name, program: file }: LocalNodeOptions, folder: string): NativeProgram {
  // Written once it listens: before, another program may answer at the port.
  const listens = join(folder, 'listens.json');
  return {
    name,
    logFile: 'node.log',
    mark: `--folder ${folder} `,
    portTaken: /EADDRINUSE/,
    answers: async (_port, pid) => (await writtenBy(listens)) === pid,
    async prepare(port) {
      await rm(listens, { force: true });
      return {
        file: process.execPath,
        args: [file, '--folder', folder, '--port', String(port)],
        env: serverEnvironment(),
      };
    },
  };
}

async function writtenBy(listens: string): Promise<number | undefined> {
  const text = await readFile(listens, 'utf8').catch(() => '{}');
  try {
    return (JSON.parse(text) as { pid?: number }).pid;
  } catch {
    // Half written.
    return undefined;
  }
}
