import { loadSettings } from '@vuka/config';
import { newCallContext } from '@vuka/http';
import type { Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';
import type { OpenedService } from '@vuka/service-host';

import type { GatewayRoot } from '../gateway.root.js';
import { openGateway, startTestDatabase, type TestDatabase } from './gateway-database.spec-support.js';
import {
  ask,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  OTHER_CONSUMER_KEY,
  PaymentsStub,
  stubServices,
  TRANSFER,
  type Answer,
} from './gateway.spec-support.js';

export const PARTNER = {
  name: 'One',
  email: 'one@example.com',
  consumer_key: CONSUMER_KEY,
  checkout_key: CHECKOUT_KEY,
};
export const OTHER = {
  name: 'Two',
  email: 'two@example.com',
  consumer_key: OTHER_CONSUMER_KEY,
  checkout_key: 'vk_test_checkout_p2_DDDDDDDDDDDDDDDDDDDDDDDD',
};

/** Two partners on a real PostgreSQL; other services are stubs. */
export class GatewayFixture {
  public db!: Database;
  /** As superuser. */
  public admin!: Database;
  public gateway!: OpenedService<GatewayRoot>;
  public readonly payments = new PaymentsStub();
  public readonly clock = new ManualClock(new Date());
  public wakeSweep = (): unknown => undefined;
  private database!: TestDatabase;

  public async open(): Promise<void> {
    this.database = await startTestDatabase();
    this.gateway = await this.start();
    this.db = await this.database.connect();
    this.admin = await this.database.connectAsAdmin();
    await this.gateway.start();
    for (const partner of [PARTNER, OTHER]) await this.gateway.handlers.ensureSandboxPartner(partner, newCallContext());
  }

  public async close(): Promise<void> {
    await this.gateway.stop();
    await this.database.stop();
  }

  public releaseClaim(): void {
    this.payments.before = () => Promise.resolve();
    this.payments.after = () => Promise.resolve();
  }

  public readonly start = (env: Record<string, string> = {}): Promise<OpenedService<GatewayRoot>> =>
    openGateway(this.database, {
      settings: loadSettings({ PORT: '0', ...env }),
      clients: stubServices(this.payments),
      jobs: {
        every: (queue, wake) => {
          if (queue === 'gateway.sweep-idempotency-keys') this.wakeSweep = () => wake('tick');
        },
        wakeAt: async () => undefined,
      },
      clock: this.clock,
    });

  public readonly port = (): number => Number(new URL(this.gateway.root.baseUrl).port);

  public readonly transfer = (
    key: string | null,
    body: object = TRANSFER,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const sent = key === null ? headers : { 'idempotency-key': key, ...headers };
    return ask(this.port(), { path: '/kes/bank-transfer', body, headers: sent });
  };

  public readonly rows = (
    key: string,
  ): Promise<{ transaction_code: string; response: string | null; runs: number }[]> =>
    this.db.query('select transaction_code, response, runs from idempotency_keys where key = $1', [key]);
}
