import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { send, type Json, type Misbehaviour } from './fake-rpc.spec-support.js';

type Change = (method: string, result: unknown, params: readonly unknown[]) => unknown;

/** Can change answers. */
export class Proxy {
  change: Change = (_method, result) => result;
  misbehave: Misbehaviour = () => false;
  private readonly server: Server = createServer((request, response) => void this.pass(request, response));

  constructor(private readonly upstream: string) {}

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/`;
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

  honest(): void {
    this.change = (_method, result) => result;
    this.misbehave = () => false;
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const asked = JSON.parse(body) as { method: string; params: unknown[]; id: unknown };
    if (this.misbehave(asked, response)) return;
    const answer = (await (
      await fetch(this.upstream, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    ).json()) as Json;
    send(response, {
      ...answer,
      ...('result' in answer && { result: this.change(asked.method, answer['result'], asked.params) }),
    });
  }
}
