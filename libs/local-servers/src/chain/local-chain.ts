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
  /** `safe` is so many blocks below the head, `finalized` twice as many; 1 where absent. */
  readonly epochBlocks?: number;
  /** Without news for so long it makes a block every 10 s instead of every second; 10 minutes where absent. */
  readonly idleAfterMs?: number;
}

export interface LocalChain extends LocalServer {
  /** Its JSON-RPC endpoint. */
  readonly url: string;
}

/** Blocks whose state it still knows: so deep a reorganisation may go, since its start. */
const KEPT_STATES = 512;

/**
 * One EVM node (anvil) on loopback with a block every second, tags `safe` and `finalized` one and two epochs below the head. Its folder
 * keeps accounts, transactions, receipts and logs: a second start goes on with all of them after a stop, and after the death of this
 * process alone; where the node itself is killed, less what happened in its last second (with ten thousands of blocks: some seconds). Block times never run ahead of the clock.
 * Throws where there is no anvil, with the reason.
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
  // Written once it listens: a port that answers before is a stranger's.
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
    // From Prague on each block writes into a contract of 8,191 places, and anvil hashes all of them anew for each block: 20 ms instead of 0.05.
    hardfork: 'cancun',
    // Without it the states of old blocks go to disk, gigabytes of them in hours.
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
