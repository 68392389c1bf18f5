import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { approvalPathOf, callbackPathOf } from '@vuka/payouts';

import type { TakeCallbackInput } from '../../callbacks/take-callback.js';
import type { AnswerApprovalInput } from '../../payouts/approvals/answer-approval.js';

const TOKEN = 'a1'.repeat(32);

/** Resolves when it is kept. */
export type Taking = (callback: TakeCallbackInput) => Promise<void>;

/** The status that it is answered. */
export type Approving = (question: AnswerApprovalInput) => Promise<number>;

/** The gateway's door as a provider sees it: it may lose what comes, or keep it and not say so. */
export class CallbackDoor {
  static readonly TOKEN = TOKEN;
  taking: Taking = () => Promise.reject(new Error('nobody is behind the door'));
  approving: Approving = () => Promise.reject(new Error('nobody is behind the door'));
  /** Of what comes in. */
  fate: () => 'lost' | 'unanswered' | 'kept' = () => 'kept';

  private constructor(
    private readonly server: Server,
    private readonly provider: string,
    private readonly base: string,
  ) {}

  get url(): string {
    return this.base + callbackPathOf(this.provider, TOKEN);
  }

  get approvalUrl(): string {
    return this.base + approvalPathOf(this.provider, TOKEN);
  }

  static async open(provider: string): Promise<CallbackDoor> {
    const server = createServer((request, response) => void door.serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const door: CallbackDoor = new CallbackDoor(server, provider, `http://127.0.0.1:${port}`);
    return door;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fate = this.fate();
    if (fate === 'lost') return void request.socket.destroy();
    const { method, url: path = '', headers } = request;
    const came = {
      provider: this.provider,
      token: TOKEN,
      method: method === 'PUT' ? ('PUT' as const) : ('POST' as const),
      host: headers.host ?? '',
      path,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      body: Buffer.concat(chunks).toString('base64'),
    };
    let status = 200;
    try {
      if (path.startsWith('/approvals/')) status = await this.approving(came);
      else await this.taking({ ...came, attempt_token: null });
    } catch {
      return void response.writeHead(503).end();
    }
    if (fate === 'unanswered') return void request.socket.destroy();
    response.writeHead(status).end('{}');
  }
}
