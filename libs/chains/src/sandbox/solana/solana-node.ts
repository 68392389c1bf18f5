import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

import type { SolanaChain } from '@vuka/domain';
import { Keypair } from '@solana/web3.js';

import { programOf } from '../../solana/token-programs.js';
import type { NodeParts } from '../node-program.js';
import { chainMethods } from './chain-methods.js';
import { Journal } from './journal.js';
import { Machine } from './machine.js';
import { RpcFault, type Methods, type Params } from './rpc-fault.js';
import { SandboxLedger, type LedgerEntry } from './sandbox-ledger.js';
import { sandboxMethods } from './sandbox-methods.js';
import { mintAccount } from './token-accounts.js';

const LONGEST_REQUEST = 256 * 1024;
const MOST_IN_BATCH = 100;
const LOOPBACK = /^(::ffff:)?127\.|^::1$/;
/** Exists only in sandboxes. */
const PAYER_SEED = createHash('sha256').update('vuka sandbox payer').digest();

/**
 * litesvm behind Solana's JSON-RPC, plus `sandbox_…` methods, for loopback only. Mints and genesis hash are
 * the real ones, so readers need no exception. Answers stay true over a restart. Throws if litesvm is not
 * installed.
 */
export async function openSolanaNode(
  folder: string,
  chain: SolanaChain,
  now: () => number = Date.now,
): Promise<NodeParts> {
  mkdirSync(folder, { recursive: true });
  const machine = await Machine.start();
  const ledger = new SandboxLedger(Journal.open<LedgerEntry>(join(folder, 'chain.jsonl')), machine, now);
  for (const token of chain.tokens) {
    if (ledger.account(token.address) === undefined)
      ledger.put({ [token.address]: mintAccount({ program: programOf(token), decimals: token.decimals }) });
  }
  const published = chainMethods(chain, ledger);
  const hands = sandboxMethods(ledger, Keypair.fromSeed(PAYER_SEED));
  return {
    handle: (request, response) =>
      void answer(
        request,
        response,
        LOOPBACK.test(request.socket.remoteAddress ?? '') ? { ...published, ...hands } : published,
      ),
    close: async () => ledger.close(),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, methods: Methods): Promise<void> {
  try {
    const body = await bodyOf(request);
    const told = Array.isArray(body)
      ? body.slice(0, MOST_IN_BATCH).map((one) => oneAnswer(one, methods))
      : oneAnswer(body, methods);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  } catch {
    response.writeHead(400).end();
  }
}

function oneAnswer(asked: unknown, methods: Methods): unknown {
  const { id = null, method, params = [] } = (asked ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  try {
    const run = typeof method === 'string' && Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined || !Array.isArray(params)) throw new RpcFault(-32601, 'Method not found');
    return { jsonrpc: '2.0', id, result: run(params as Params) ?? null };
  } catch (error) {
    const { code = -32603, message, data } = error as Partial<RpcFault> & Error;
    return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LONGEST_REQUEST) throw new Error('too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
