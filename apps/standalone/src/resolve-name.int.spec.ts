import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import type { ResolvedName } from '@vuka/contracts';
import type { LookupDestination, Result } from '@vuka/domain';
import { newCallContext } from '@vuka/http';
import { sandboxProvider, type ConnectedProvider } from '@vuka/payouts';
import { createLogger } from '@vuka/runtime';
import { sandboxCredential, startSandboxProvider, type ProfileId } from '@vuka/sandbox';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';
import { validation as definition, type ValidationRoot } from '@vuka/validation';

interface Provider {
  readonly provider: ConnectedProvider;
  stop(): Promise<void>;
}

const log = createLogger('resolve-name-test', { level: 'silent' });
let folder: string;
let simulators: Record<ProfileId, Provider>;
let validation: OpenedService<ValidationRoot>;

async function startProvider(profile: ProfileId): Promise<Provider> {
  const credential = sandboxCredential();
  const simulator = await startSandboxProvider({ folder: join(folder, profile), credential, profile, log });
  return {
    provider: sandboxProvider({ baseUrl: simulator.baseUrl, credential, profile }),
    stop: () => simulator.stop(),
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resolve-name-'));
  simulators = { sandbox: await startProvider('sandbox'), sandbox_b: await startProvider('sandbox_b') };
  const providers = Object.values(simulators).map(({ provider }) => provider);
  const rateLimits = { ...loadSettings({}).rateLimits, destination: null };
  validation = await openService(definition, testContext({ providers: { providers }, log, settings: { rateLimits } }));
  await validation.start();
});

afterEach(async () => {
  await validation.stop();
  await Promise.all(
    Object.values(simulators).map(async ({ provider, stop }) => {
      await provider.close();
      await stop();
    }),
  );
  await rm(folder, { recursive: true, force: true });
});

const phone = (number: string): LookupDestination => ({
  kind: 'mobile',
  phone: `+25471234${number}`,
  mobile_network: 'Safaricom',
});

function ask(destination: LookupDestination, budgetMs = 2_000): Promise<Result<ResolvedName>> {
  return validation.handlers.resolveName(
    { partner_id: 1, currency: 'KES', destination, account_name: null },
    newCallContext({ budgetMs }),
  );
}

const told = (name: string): object => ({
  ok: true,
  value: { status: 'COMPLETE', verified: true, name, name_match: null },
});
const UNKNOWN = {
  ok: false,
  error: { code: 'service_unavailable', message: expect.stringMatching(/Nothing is known/) },
};

describe('names, from the providers of the sandbox', () => {
  it('are found for every kind of destination', async () => {
    expect(await ask(phone('4321'))).toEqual(told('TEST 4321'));
    expect(await ask({ kind: 'till', shortcode: '54321' })).toEqual(told('TEST 4321'));
    expect(await ask({ kind: 'paybill', shortcode: '247247' })).toEqual(told('TEST 7247'));
    expect(
      await ask({ kind: 'bank', account_number: '0110124321', bank_code: '01', bank_name: 'KCB Bank Kenya' }),
    ).toEqual(told('TEST 4321'));
    expect(await ask(phone('0000'))).toMatchObject({ value: { status: 'FAILED', verified: false, name: '' } });
    expect(await ask(phone('0006'))).toMatchObject({ value: { status: 'COMPLETE', verified: false, name: '' } });
  });

  it.each([2_000, 700])('are not guessed if a simulator does not answer: within %d ms', async (budgetMs) => {
    const from = performance.now();
    expect(await ask(phone('0011'), budgetMs)).toEqual(UNKNOWN);
    expect(performance.now() - from).toBeLessThan(budgetMs);
  });

  it('come from the second simulator if the first is down, and from the cache if both are down', async () => {
    expect(await ask(phone('1111'))).toEqual(told('TEST 1111'));
    await simulators.sandbox.stop();
    expect(await ask(phone('2222'))).toEqual(told('TEST 2222'));
    await simulators.sandbox_b.stop();
    expect(await ask(phone('3333'))).toEqual(UNKNOWN);
    expect(await ask(phone('1111'))).toEqual(told('TEST 1111'));
    expect(await validation.handlers.listBanks({ currency: 'NGN' }, newCallContext())).toMatchObject({ ok: true });
    expect(await validation.ready()).toBe(true);
  });
});
