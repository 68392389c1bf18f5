import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { CHAINS, type SolanaChain } from '@vuka/domain';

import { SandboxSolana } from './sandbox-solana.js';
import { openSolanaNode } from './solana-node.js';

export const SOLANA = CHAINS.find((chain): chain is SolanaChain => chain.family === 'solana')!;
export const USDC = SOLANA.tokens.find(({ symbol }) => symbol === 'USDC')!;

export interface StartedNode {
  readonly url: string;
  readonly hands: SandboxSolana;
  /** Throws the error's code. */
  ask<T = unknown>(method: string, ...params: unknown[]): Promise<T>;
  stop(): Promise<void>;
}

/** State in `folder`. */
export async function startSolanaNode(folder: string, now?: () => number): Promise<StartedNode> {
  const parts = await openSolanaNode(folder, SOLANA, now);
  const server = createServer(parts.handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const ask = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { code: number; message: string } };
    if (error !== undefined) throw new Error(`${String(error.code)} ${error.message}`);
    return result;
  };
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    await parts.close();
  };
  return { url, hands: new SandboxSolana(SOLANA, url), ask, stop };
}
