import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type Clock, createLogger, type MonotonicClock, systemClock } from '@vuka/runtime';

import type { ChainReader } from '../reader/chain-reader.js';
import { STELLAR } from '../sandbox/stellar/stellar-node.spec-support.js';
import { createStellarReader, type StellarChainFacts } from './stellar-reader.js';

export type Answer = { readonly status: number; readonly body: unknown };

/** Can change answers. */
export class HorizonProxy {
  /** null: no answer. */
  change: (path: string, answer: Answer) => Answer | null = (_path, answer) => answer;
  readonly asked: string[] = [];
  private readonly server: Server = createServer((request, response) => void this.pass(request, response));

  constructor(private readonly upstream: string) {}

  /** Has secrets that must never be seen. */
  get url(): string {
    return `http://keyholder:verysecret@127.0.0.1:${String((this.server.address() as AddressInfo).port)}/horizon/topsecretkey?apikey=alsosecret`;
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://proxy');
    const path = url.pathname.replace('/horizon/topsecretkey', '');
    this.asked.push(path);
    url.searchParams.delete('apikey');
    let sent = '';
    for await (const chunk of request) sent += String(chunk);
    const init =
      request.method === 'POST'
        ? { method: 'POST', body: sent, headers: { 'content-type': request.headers['content-type'] ?? '' } }
        : {};
    const told = await fetch(`${this.upstream}${path}?${url.searchParams.toString()}`, init);
    const answer = this.change(path, { status: told.status, body: await told.json() });
    if (answer === null) return;
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  }
}

export const SECRETS = /verysecret|topsecretkey|alsosecret|keyholder|127\.0\.0\.1/;

export interface ReaderFixture {
  readonly reader: ChainReader;
  readonly lines: string[];
  codes(): unknown[];
}

/** Advances on each call, so that no answer comes from a cache. */
export function leapingClock(clock: Clock = systemClock): Clock & MonotonicClock {
  let passed = 0;
  return { now: () => clock.now(), monotonicMs: () => (passed += 1_000) };
}

export async function readerOf(
  urls: readonly string[],
  agree: number,
  more: { chain?: StellarChainFacts; clock?: Clock & MonotonicClock } = {},
): Promise<ReaderFixture> {
  const lines: string[] = [];
  const log = createLogger('test', { level: 'trace', destination: { write: (line: string) => void lines.push(line) } });
  const reader = await createStellarReader({
    chain: more.chain ?? STELLAR,
    endpoints: urls,
    agree,
    log,
    clock: more.clock ?? leapingClock(),
  });
  return {
    reader,
    lines,
    codes: () =>
      lines.map((line) => (JSON.parse(line) as { code?: unknown }).code).filter((code) => code !== undefined),
  };
}
