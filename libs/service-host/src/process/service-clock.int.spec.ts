import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { type Clock, createLogger, type MonotonicClock, systemClock } from '@vuka/runtime';
import { until } from '@vuka/testing';

import type { ServiceRoot } from '../service-context.js';
import { type AskReadiness, CLOCK_AGREES, type ClockAgrees, READINESS } from '../tokens.js';
import { gatewaySettings } from './gateway-settings.spec-support.js';
import { ServiceProcess } from './service-process.js';
import type { ServiceSettings } from './service-settings.js';

const DAY_MS = 86_400_000;

class WrongClock implements Clock, MonotonicClock {
  offMs = 0;
  now = (): Date => new Date(systemClock.now().getTime() + this.offMs);
  monotonicMs = (): number => systemClock.monotonicMs();
}

let database: TestDatabase;
let settings: ServiceSettings;

beforeAll(async () => {
  database = await borrowDatabase([{ name: 'gateway' }]);
  settings = gatewaySettings(database);
}, 60_000);

afterAll(() => database.stop());

@Injectable()
class IdleRoot implements ServiceRoot {
  readonly handlers = { ensureSandboxPartner: () => Promise.reject(new Error('nobody asks')) };

  constructor(
    @Inject(CLOCK_AGREES) readonly clockAgrees: ClockAgrees,
    @Inject(READINESS) readonly readiness: AskReadiness,
  ) {
    keep(this);
  }

  async start(): Promise<void> {
    // Does nothing by itself.
  }
}

let made: IdleRoot | undefined;
const keep = (root: IdleRoot): void => {
  made = root;
};

@Module({ providers: [IdleRoot] })
class IdleModule {}

function processWith(clock: WrongClock, lines: Record<string, unknown>[], looks: { clockLookMs?: number } = {}) {
  made = undefined;
  const log = createLogger('gateway', {
    destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const running = new ServiceProcess({
    definition: { name: 'gateway', module: IdleModule, root: IdleRoot },
    settings,
    log,
    onFatal: () => undefined,
    clock,
    ...looks,
  });
  return running;
}

describe('a service and the clock of its database', () => {
  it('does not start with another time than the database has', async () => {
    const clock = new WrongClock();
    clock.offMs = DAY_MS;
    const running = processWith(clock, []);
    await expect(running.start()).rejects.toThrow(
      /^the clocks differ by 8640\d\.\d s: this machine's clock says .*, and the clock of PostgreSQL at .* says /,
    );
    expect(made).toBeUndefined();
    await running.stop(5_000);
  });

  it('is not ready from the moment at which its clock is found wrong, and is again when it is right', async () => {
    const clock = new WrongClock();
    const lines: Record<string, unknown>[] = [];
    const running = processWith(clock, lines);
    await running.start();
    try {
      const root = made as unknown as IdleRoot;
      const ownState = async () => (await root.readiness()).checks['gateway'];
      const address = String(lines.find(({ msg }) => msg === 'ready')?.['internal_url']);
      const health = async (): Promise<unknown[]> => {
        const answer = await fetch(`${address}/health/ready`);
        return [answer.status, ((await answer.json()) as { services: object }).services];
      };
      expect([await root.clockAgrees(), await ownState(), await health()]).toEqual([
        true,
        true,
        [200, { gateway: 'ready' }],
      ]);
      clock.offMs = DAY_MS;
      expect(await root.clockAgrees()).toBe(false);
      const why: unknown = expect.stringMatching(/^this clock is 86\d{3}\.\d s ahead of the clock of PostgreSQL at /);
      expect([await ownState(), await health()]).toEqual([why, [503, { gateway: 'ready', clock: why }]]);
      expect(lines.filter(({ code }) => code === 'clock_differs')).toHaveLength(1);
      clock.offMs = 0;
      expect([await root.clockAgrees(), await ownState(), (await health())[0]]).toEqual([true, true, 200]);
    } finally {
      await running.stop(5_000);
    }
  });

  it('looks by itself, too', async () => {
    const clock = new WrongClock();
    const lines: Record<string, unknown>[] = [];
    const running = processWith(clock, lines, { clockLookMs: 20 });
    await running.start();
    clock.offMs = -DAY_MS;
    await until(() => lines.some(({ code }) => code === 'clock_differs'), { withinMs: 10_000, what: 'the alarm' });
    await running.stop(5_000);
  });
});
