import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { BootError } from '@vuka/runtime';

import type { ControlAnswer } from './stack-view.js';

const LARGEST_BODY_BYTES = 10_000;

export type ControlRequest =
  | { readonly do: 'status' }
  | { readonly do: 'stop-all' }
  | { readonly do: 'kill'; readonly name: string }
  | ChangeRequest;

/** These run one at a time, or two would wait for each other's processes. */
export type ChangeRequest =
  | { readonly do: 'start' | 'stop' | 'restart'; readonly name: string }
  | { readonly do: 'scale'; readonly service: string; readonly instances: number };

/** Listens on loopback only; the caller needs the token from the folder. */
export class ControlServer {
  private readonly server: Server;

  constructor(
    private readonly token: string,
    private readonly handle: (request: ControlRequest) => Promise<ControlAnswer>,
  ) {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  async start(): Promise<number> {
    this.server.listen({ port: 0, host: '127.0.0.1' });
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    this.server.close();
    this.server.closeIdleConnections();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.opens(request.headers.authorization))
      return answer(response, 401, { ok: false, message: 'the token is not valid' });
    try {
      const asked = JSON.parse(await bodyOf(request)) as ControlRequest;
      answer(response, 200, await this.handle(asked));
    } catch (error) {
      const message =
        error instanceof BootError
          ? `${error.message} ${error.advice}`
          : error instanceof Error
            ? error.message
            : String(error);
      answer(response, 200, { ok: false, message });
    }
  }

  private opens(header = ''): boolean {
    const [given, wanted] = [Buffer.from(header), Buffer.from(`Bearer ${this.token}`)];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY_BYTES) throw new Error('the request is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, body: ControlAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
}
