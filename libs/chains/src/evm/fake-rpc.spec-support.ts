import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { id, zeroPadValue } from 'ethers';

export const CHAIN_ID = 42_220;
export const TX = `0x${'ab'.repeat(32)}`;
export const OURS = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
export const PAYER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
export const USDC = '0xcebA9300f2b948710d2653dD7B07f33A8B32118C';
export const FAKE_USDC = '0x59d9356e565ab3a36dd77763fc0d87feaf85508c';
export const NOW = new Date('2026-11-20T10:00:00Z');

export type Json = Record<string, unknown>;

export const hex = (number: number): string => `0x${number.toString(16)}`;
export const word = (address: string): string => zeroPadValue(address, 32);
export const amount = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
export const blockHash = (number: number): string => `0x${number.toString(16).padStart(64, 'b')}`;
export const TRANSFER_TOPIC = id('Transfer(address,address,uint256)');

export function transferLog(more: Json & { value?: bigint; from?: string; to?: string } = {}): Json {
  const { value = 12_500_000n, from = PAYER, to = OURS, ...rest } = more;
  return {
    address: USDC.toLowerCase(),
    topics: [TRANSFER_TOPIC, word(from), word(to)],
    data: amount(value),
    removed: false,
    transactionHash: TX,
    ...rest,
  };
}

export function receiptOf(more: Json = {}): Json {
  return {
    transactionHash: TX,
    status: '0x1',
    blockNumber: hex(100),
    blockHash: blockHash(100),
    type: '0x2',
    to: USDC.toLowerCase(),
    logs: [transferLog()],
    ...more,
  };
}

/** True if it answers itself. */
export type Misbehaviour = (
  request: { method: string; params: unknown[]; id: unknown },
  response: ServerResponse,
) => boolean;

/** Block 100 holds TX, 130 is the newest, 120 safe, 110 finalized. */
export class FakeNode {
  chainId = CHAIN_ID;
  latest = 130;
  safe: number | null = 120;
  finalized: number | null = 110;
  newestMs = NOW.getTime();
  receipt: unknown = receiptOf();
  readonly blocks = new Map<number, Json | null>();
  misbehave: Misbehaviour = () => false;
  readonly calls: string[] = [];
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));

  /** Has secrets that must never be seen. */
  get url(): string {
    return `http://keyholder:verysecret@127.0.0.1:${String(this.port)}/v2/topsecretkey?apikey=alsosecret`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async start(port = 0): Promise<this> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  block(number: number): Json | null {
    const told = this.blocks.get(number);
    if (told !== undefined) return told;
    if (number > this.latest) return null;
    return {
      number: hex(number),
      hash: blockHash(number),
      timestamp: hex(Math.floor(this.newestMs / 1_000) - (this.latest - number)),
    };
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const asked = JSON.parse(body) as { method: string; params: unknown[]; id: unknown };
    this.calls.push(
      asked.method === 'eth_getBlockByNumber' ? `${asked.method} ${String(asked.params[0])}` : asked.method,
    );
    if (this.misbehave(asked, response)) return;
    send(response, { jsonrpc: '2.0', id: asked.id, result: this.resultOf(asked.method, asked.params) });
  }

  private resultOf(method: string, [first]: unknown[]): unknown {
    if (method === 'eth_chainId') return hex(this.chainId);
    if (method === 'eth_getTransactionReceipt') return first === TX ? this.receipt : null;
    const tags: Record<string, number | null> = { latest: this.latest, safe: this.safe, finalized: this.finalized };
    const number = Object.hasOwn(tags, String(first)) ? tags[String(first)] : Number(first);
    return number === null || number === undefined ? null : this.block(number);
  }
}

export function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Only for one method. */
export const when =
  (method: string, then: Misbehaviour): Misbehaviour =>
  (request, response) =>
    request.method === method && then(request, response);

export const hang: Misbehaviour = () => true;
export const status =
  (code: number): Misbehaviour =>
  (_request, response) => (send(response, { error: 'https://user:verysecret@node' }, code), true);
export const text =
  (body: string): Misbehaviour =>
  (_request, response) => (send(response, body), true);
export const refuseWith =
  (code: number): Misbehaviour =>
  ({ id }, response) => (
    send(response, { jsonrpc: '2.0', id, error: { code, message: 'at http://127.0.0.1/topsecretkey' } }),
    true
  );
export const huge: Misbehaviour = (_request, response) => {
  response.writeHead(200);
  const more = (): void => void (response.destroyed || response.write('x'.repeat(1_000_000), more));
  more();
  return true;
};
