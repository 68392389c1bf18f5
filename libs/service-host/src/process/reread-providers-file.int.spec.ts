import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import type { Coverage } from '@vuka/domain';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { createLogger } from '@vuka/runtime';
import { until } from '@vuka/testing';

import type { ServiceRoot } from '../service-context.js';
import { COVERAGE } from '../tokens.js';
import { gatewaySettings } from './gateway-settings.spec-support.js';
import { ServiceProcess } from './service-process.js';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await borrowDatabase([{ name: 'gateway' }]);
  folder = await mkdtemp(join(tmpdir(), 'vuka-providers-'));
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database.stop();
});

let held: Coverage = [];

@Injectable()
class HoldingRoot implements ServiceRoot {
  readonly handlers = { ensureSandboxPartner: () => Promise.reject(new Error('nobody asks')) };

  constructor(@Inject(COVERAGE) coverage: Coverage) {
    held = coverage;
  }

  async start(): Promise<void> {
    // Does nothing by itself.
  }
}

@Module({ providers: [HoldingRoot] })
class HoldingModule {}

const row = { id: 'sandbox', base_url: 'http://sandbox-provider', secret: 'sandbox', countries: ['KE'], accepts_stablecoin_funds: 'yes' }; // prettier-ignore
const routeOf = (network: string): object => ({ currency: 'KES', kind: 'mobile', network, providers: ['sandbox'] });

describe('a running service whose providers file changes', () => {
  it('pays by the new routes after SIGHUP, with what its classes were given at the start', async () => {
    const file = join(folder, 'providers.json');
    const write = (...networks: string[]): Promise<void> =>
      writeFile(file, JSON.stringify({ providers: [row], routes: networks.map(routeOf) }));
    await write('Safaricom');
    const codes: unknown[] = [];
    const running = new ServiceProcess({
      definition: { name: 'gateway', module: HoldingModule, root: HoldingRoot },
      settings: { ...gatewaySettings(database), providersFile: file },
      log: createLogger('gateway', {
        destination: { write: (line: string) => void codes.push((JSON.parse(line) as { code?: unknown }).code) },
      }),
      onFatal: () => undefined,
    });
    expect(running.readAgain()).toBe(false);
    await running.start();
    try {
      expect(held.map(({ network }) => network)).toEqual(['Safaricom']);
      await write('Airtel', 'Safaricom');
      expect(running.readAgain()).toBe(true);
      await until(() => codes.includes('providers_file_taken'), { what: 'the file is in force', withinMs: 10_000 });
      expect(held.map(({ network }) => network)).toEqual(['Airtel', 'Safaricom']);
      await write('Airtel', 'Nobody');
      running.readAgain();
      await until(() => codes.includes('providers_file_refused'), { what: 'the file is refused', withinMs: 10_000 });
      expect(held.map(({ network }) => network)).toEqual(['Airtel', 'Safaricom']);
    } finally {
      await running.stop(5_000);
    }
  });
});
