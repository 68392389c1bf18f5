import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Webhook } from 'standardwebhooks';

import type { SandboxPartner } from '../processes/vuka-process.js';

/**
 * The callback payload of interface.md: of a transaction, an order (`order_id`, no code) or a refund (`refund_id`,
 * neither).
 */
export interface CallbackPayload extends Partial<RefundPayload> {
  readonly status: string;
  readonly transaction_code: string;
  readonly order_id?: string;
  readonly receipt_number?: string;
  readonly message: string;
  readonly public_name?: string;
  readonly failure_code?: string;
  readonly correction?: ToldCorrection;
}

export interface ToldCorrection {
  readonly reason: string;
  readonly receipt_number: string;
  readonly amount: string;
  readonly at: string;
}

interface RefundPayload {
  readonly refund_id: number;
  readonly chain: string;
  readonly asset: string;
  readonly amount: string;
  readonly address: string;
  readonly transaction_hash: string;
  readonly refund_transaction_hash: string;
  readonly refund_of_transaction_code: string;
  readonly refund_of_order_id: string;
  readonly reason: string;
}

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  readonly payload: CallbackPayload;
  readonly id: string;
  readonly sequence: number;
  readonly event: string;
  /** Whose secret verifies the signature (with the public standardwebhooks package); null: nobody's. */
  readonly partner: number | null;
}

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What to answer; `null` never answers. */
export type Script = (hook: ReceivedWebhook, nthOfItsId: number) => ScriptedAnswer | null;

const OK: ScriptedAnswer = { status: 200 };

/** A partner's webhook endpoint: a real HTTP server on a free port that keeps all deliveries. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  private readonly incomingTransfers = new EventEmitter().setMaxListeners(0);
  private readonly timesById = new Map<string, number>();
  private script: Script = () => OK;

  private constructor(
    private readonly server: Server,
    private readonly secrets: readonly { readonly partner: number; readonly webhook: Webhook }[],
  ) {}

  static async start(partners: readonly SandboxPartner[]): Promise<WebhookReceiver> {
    const server = createServer();
    const secrets = partners.map(({ id, webhook_secret }) => ({ partner: id, webhook: new Webhook(webhook_secret) }));
    const receiver = new WebhookReceiver(server, secrets);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const answer = receiver.take(request.url ?? '', request.headers, Buffer.concat(chunks).toString('utf8'));
        if (answer !== null) response.writeHead(answer.status, answer.headers).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  answerBy(script: Script = () => OK): void {
    this.script = script;
  }

  /** In order of receipt. */
  of(code: string): ReceivedWebhook[] {
    return this.received.filter((hook) => hook.payload.transaction_code === code);
  }

  async waitFor<T>(
    found: (received: readonly ReceivedWebhook[]) => T | undefined | false,
    { withinMs, what }: { withinMs: number; what: string },
  ): Promise<T> {
    const deadline = AbortSignal.timeout(withinMs);
    for (;;) {
      const result = found(this.received);
      if (result !== undefined && result !== false) return result;
      await once(this.incomingTransfers, 'webhook', { signal: deadline }).catch(() => {
        throw new Error(`${what}: not within ${withinMs} ms; ${this.received.length} webhooks received`);
      });
    }
  }

  waitForFinal(code: string, withinMs: number): Promise<ReceivedWebhook> {
    const isFinal = (hook: ReceivedWebhook): boolean =>
      hook.payload.transaction_code === code && /^(COMPLETE|FAILED)$/.test(hook.payload.status);
    return this.waitFor((received) => received.find(isFinal), { withinMs, what: `the final webhook of ${code}` });
  }

  /** In order of receipt. */
  ofRefundsOf(code: string): ReceivedWebhook[] {
    return this.received.filter((hook) => hook.payload.refund_of_transaction_code === code);
  }

  ofOrder(id: string): ReceivedWebhook[] {
    return this.received.filter((hook) => hook.payload.order_id === id);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private take(path: string, headers: IncomingHttpHeaders, rawBody: string): ScriptedAnswer | null {
    const id = single(headers['webhook-id']);
    const hook: ReceivedWebhook = {
      path,
      headers,
      rawBody,
      payload: JSON.parse(rawBody) as CallbackPayload,
      id,
      sequence: Number(single(headers['x-vuka-sequence'])),
      event: single(headers['x-vuka-event']),
      partner: this.signerOf(rawBody, headers),
    };
    const nth = (this.timesById.get(id) ?? 0) + 1;
    this.timesById.set(id, nth);
    this.received.push(hook);
    this.incomingTransfers.emit('webhook');
    return this.script(hook, nth);
  }

  private signerOf(rawBody: string, headers: IncomingHttpHeaders): number | null {
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, single(value)]));
    for (const { partner, webhook } of this.secrets) {
      try {
        webhook.verify(rawBody, plain);
        return partner;
      } catch {
        // Not this partner's.
      }
    }
    return null;
  }
}

/** With the public standardwebhooks package; other signatures may be there too. */
export function isSignedWith(
  secret: string,
  { rawBody, headers }: Pick<ReceivedWebhook, 'rawBody' | 'headers'>,
): boolean {
  try {
    new Webhook(secret).verify(
      rawBody,
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, single(value)])),
    );
    return true;
  } catch {
    return false;
  }
}

function single(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}
