import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Database } from '@vuka/persistence';
import { LISTS_DATABASE, openService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';

import { CommitWriter } from './commit/index.js';
import { PayoutJobs } from './jobs/index.js';
import { payments } from './payments.js';
import { NO_JOBS, startPaymentsDatabase, type PaymentsDatabase } from './testing/payments-database.spec-support.js';

let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

describe('payments', () => {
  it('ends its due work, then what comes in, then its commits, and its connections last', async () => {
    const ended: string[] = [];
    const eventBus = { subscribe: () => async (): Promise<void> => void ended.push('events') };
    const service = await openService(payments, testContext({ database: pg.config, jobs: NO_JOBS, eventBus }));
    const told = (what: string, part: object, method: string): void => {
      const before = Reflect.get(part, method) as () => Promise<void>;
      Object.assign(part, { [method]: jest.fn(() => before.call(part).finally(() => ended.push(what))) });
    };
    told('due work', service.get(PayoutJobs), 'stop');
    told('commits', service.get(CommitWriter), 'drain');
    told('lists', service.get<Database>(LISTS_DATABASE), 'close');
    told('database', service.get(Database), 'close');
    await service.start();
    expect(await service.ready()).toBe(true);
    await service.stop();
    await service.stop();
    expect([...new Set(ended)]).toEqual(['due work', 'events', 'commits', 'lists', 'database']);
  }, 60_000);
});
