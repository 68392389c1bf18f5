import { jest } from '@jest/globals';
import { operation, type InternalApi, type InternalClient, type InternalHandlers } from '@vuka/contracts';
import { fail, ok, type Problem } from '@vuka/domain';
import { type Health, type Logger, Metrics, systemClock } from '@vuka/runtime';
import { CuttableLink } from '@vuka/testing';
import { z } from 'zod';

import { newCallContext } from './call-context.js';
import { HttpServices } from './http-services.js';
import { credentialHash } from './server/accepted-callers.js';
import { startInternalServer, type InternalServer, type InternalServerOptions } from './server/internal-server.js';

const CREDENTIAL = 'x'.repeat(40);
export const WITHIN = { withinMs: 10_000 };

export const input = z.object({ id: z.string() });
export const output = z.object({ did: z.string() });
export const ledgerApi = {
  service: 'ledger',
  operations: {
    pay: operation(input, output, { summary: 'Of a test', errors: {}, callers: ['gateway'], idempotent: false }),
    find: operation(input, output, { summary: 'Of a test', errors: {}, callers: ['gateway'], idempotent: true }),
    accept: operation(input, output, {
      summary: 'Of a test',
      errors: {},
      callers: ['gateway'],
      idempotent: true,
      commits: true,
    }),
  },
} as const satisfies InternalApi;
type Handlers = InternalHandlers<typeof ledgerApi>;
export type Ledger = InternalClient<typeof ledgerApi>;

export const context = (budgetMs = 2_000) => newCallContext({ budgetMs });
export const outcome = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
export const portOf = ({ baseUrl }: InternalServer): number => Number(new URL(baseUrl).port);

export class LedgerFixture {
  public link!: CuttableLink;
  public server!: InternalServer;
  public services!: HttpServices;
  public ledger!: Ledger;
  public health!: Health;
  /** One id for each time the work was done. */
  public done: string[] = [];
  public handle: (id: string) => Promise<Problem | undefined | void> = async () => undefined;
  public readonly errors = jest.fn();
  private readonly log = { error: this.errors, warn: () => undefined, info: () => undefined } as unknown as Logger;

  public async start(): Promise<void> {
    this.done = [];
    this.handle = async () => undefined;
    this.health = { ready: true, services: { ledger: 'ready' } };
    this.errors.mockClear();
    this.server = await this.serve();
    this.link = new CuttableLink(portOf(this.server));
    await this.link.join();
    this.ledger = this.use(this.link.url);
  }

  public async stop(): Promise<void> {
    await this.link.cut();
    await this.services.close();
    await this.server.stop();
  }

  public serve(options: Partial<InternalServerOptions<typeof ledgerApi>> = {}): Promise<InternalServer> {
    return startInternalServer({
      service: 'ledger',
      host: '127.0.0.1',
      port: 0,
      api: ledgerApi,
      handlers: { pay: this.handler, find: this.handler, accept: this.handler },
      accept: [{ caller: 'gateway', credentialSha256: credentialHash(CREDENTIAL) }],
      health: async () => this.health,
      metrics: new Metrics('ledger'),
      log: this.log,
      clock: systemClock,
      ...options,
    });
  }

  public use(
    url: string,
    { credential = CREDENTIAL, ...extra }: { credential?: string; connectionLifeMs?: number } = {},
  ): Ledger {
    this.services = new HttpServices({
      urls: { ledger: url },
      credentials: { ledger: credential },
      log: this.log,
      clock: systemClock,
      metrics: new Metrics('gateway'),
      ...extra,
    });
    return this.services.client(ledgerApi);
  }

  public times(id: string): number {
    return this.done.filter((one) => one === id).length;
  }

  public readonly handler: Handlers['pay'] = async ({ id }) => {
    this.done.push(id);
    const refusal = await this.handle(id);
    return refusal === undefined ? ok({ did: id }) : fail(refusal);
  };
}
