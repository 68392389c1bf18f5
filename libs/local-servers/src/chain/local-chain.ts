import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { askAnvil } from './anvil-rpc.js';
import { BUSY_BLOCK_SECONDS, ChainKeeper } from './chain-keeper.js';
import { ChainStateFiles } from './chain-state.js';
import { findAnvil, type AnvilProgram } from './find-anvil.js';
import type { LocalServer, LocalServerOptions } from '../local-server.js';
import { HOST, serverEnvironment, startNative, type NativeProgram } from '../native-server.js';

export interface LocalChainOptions extends LocalServerOptions {
  readonly chainId: number;
  /** `safe` is this far below the head, `finalized` twice; default 1. */
  readonly epochBlocks?: number;
  /** Then a block every 10 s instead of 1 s; default 10 minutes. */
  readonly idleAfterMs?: number;
}

export interface LocalChain extends LocalServer {
  readonly url: string;
}

/** Limit of a reorganisation's depth. */
const KEPT_STATES = 512;

/**
 * anvil on loopback, a block every second. The folder keeps all; a kill of the node loses its last second
 * (more with many blocks). Block times are never in the future. Throws without anvil.
 */
export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const anvil = await findAnvil();
  if (!anvil.ok) throw new Error(anvil.why);
  let files: ChainStateFiles | undefined;
  const server = await startNative(options, async ({ path }) => {
    files = new ChainStateFiles(path);
    return program(anvil, options, path, files);
  });
  const url = `http://${server.host}:${server.port}`;
  const keeper = new ChainKeeper({
    url,
    log: options.log,
    save: async (dump) => files?.save(dump),
    ...(options.idleAfterMs !== undefined && { idleAfterMs: options.idleAfterMs }),
  });
  keeper.start();
  void server.ended.then(() => keeper.stop());
  const stop = async (): Promise<void> => {
    await keeper.stop();
    await server.stop();
  };
  return { ...server, url, stop };
}

function program(
  anvil: AnvilProgram,
  { chainId, epochBlocks = 1 }: Pick<LocalChainOptions, 'chainId' | 'epochBlocks'>,
  folder: string,
  files: ChainStateFiles,
): NativeProgram {
  // Written once it listens: before, another program may answer at the port.
  const listens = join(folder, 'listens.json');
  return {
    name: 'anvil',
    logFile: 'anvil.log',
    mark: `--config-out ${listens}`,
    portTaken: /Address already in use/,
    answers: async (port) => existsSync(listens) && (await answersAs(chainId, port)),
    async prepare(port) {
      await rm(listens, { force: true });
      const state = await files.latest();
      const args = [
        ...settings(chainId, epochBlocks, port),
        '--config-out',
        listens,
        '--dump-state',
        files.exitFile,
        ...(state === undefined ? [] : ['--load-state', state]),
      ];
      return { file: anvil.file, args, env: serverEnvironment() };
    },
  };
}

function settings(chainId: number, epochBlocks: number, port: number): string[] {
  const values = {
    host: HOST,
    port,
    'chain-id': chainId,
    'block-time': BUSY_BLOCK_SECONDS,
    'slots-in-an-epoch': epochBlocks,
    // From Prague on each block takes 20 ms, to hash a contract of 8,191 slots.
    hardfork: 'cancun',
    // Without it old states fill the disk with gigabytes.
    'prune-history': KEPT_STATES,
  };
  return ['--quiet', ...Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)])];
}

async function answersAs(chainId: number, port: number): Promise<boolean> {
  try {
    const [answer] = await askAnvil(`http://${HOST}:${port}`, [{ method: 'eth_chainId' }]);
    return Number(answer) === chainId;
  } catch {
    return false;
  }
}
