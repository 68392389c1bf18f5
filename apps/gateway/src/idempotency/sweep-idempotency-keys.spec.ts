import { expect, it } from '@jest/globals';
import { until } from '@vuka/testing';

import { silentLog } from '../testing/gateway.spec-support.js';
import { SweepIdempotencyKeys } from './sweep-idempotency-keys.job.js';

const WITHIN = { withinMs: 10_000, what: 'the sweep' };

it('nothing is swept while the clock differs from the database, and sweeping resumes when they agree', async () => {
  let [agrees, asked, swept] = [false, 0, 0];
  let wake: () => void = () => undefined;
  const jobs = {
    every: (_: string, work: () => void) => {
      wake = work;
    },
  };
  const clockAgrees = async (): Promise<boolean> => {
    asked += 1;
    return agrees;
  };
  const sweep = async (): Promise<number> => {
    swept += 1;
    return 0;
  };
  const sweeper = new SweepIdempotencyKeys({ sweep }, jobs as never, clockAgrees, silentLog);
  sweeper.onModuleInit();
  sweeper.onApplicationBootstrap();
  await until(() => asked === 1, WITHIN);
  wake();
  await until(() => asked === 2, WITHIN);
  expect(swept).toBe(0);
  agrees = true;
  wake();
  await until(() => swept === 1, WITHIN);
  await sweeper.onApplicationShutdown();
});
