import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chainNamed, type StellarChain } from '@vuka/domain';
import { Account, Keypair, MuxedAccount } from '@stellar/stellar-sdk';

import { openStellarNode, type StellarNodeOptions } from './horizon-node.js';
import { SandboxStellar } from './sandbox-stellar.js';

export const STELLAR = chainNamed('STELLAR') as StellarChain;
export const USDC = `USDC:${STELLAR.tokens[0]!.address}`;

export const keyOf = (name: string): Keypair => Keypair.fromRawEd25519Seed(Buffer.from(name.padEnd(32, '.')));
export const muxedOf = (account: string, id: string): string =>
  new MuxedAccount(new Account(account, '0'), id).accountId();

export interface SpecNode {
  readonly url: string;
  readonly hands: SandboxStellar;
  readonly folder: string;
  get(
    path: string,
  ): Promise<{ status: number; type: string | null; body: Record<string, never> & Record<string, unknown> }>;
  post(path: string, tx: string): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Same folder and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStellarNode(options: StellarNodeOptions = {}): Promise<SpecNode> {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-stellar-'));
  let parts = await openStellarNode(folder, options);
  let server = await listen(parts.handle, 0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  const end = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    await parts.close();
  };
  return {
    url,
    folder,
    hands: new SandboxStellar(STELLAR, url),
    async get(path) {
      const response = await fetch(`${url}${path}`);
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        body: (await response.json()) as never,
      };
    },
    async post(path, tx) {
      const response = await fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams({ tx }) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    async restart() {
      await end();
      parts = await openStellarNode(folder, options);
      server = await listen(parts.handle, port);
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listen(handle: RequestListener, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    // No connection outlives a restart.
    response.setHeader('connection', 'close');
    handle(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
