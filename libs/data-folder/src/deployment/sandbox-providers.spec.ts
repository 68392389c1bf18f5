import { expect, it } from '@jest/globals';
import { fullCoverage } from '@vuka/domain';
import { connectProviders, ProviderValues, readProvidersFile } from '@vuka/payouts';
import { systemClock } from '@vuka/runtime';

import { newSecrets, Secrets } from '../secrets.js';
import { SANDBOX_PROVIDERS, sandboxProvidersFile } from './sandbox-providers.js';

const FILE = sandboxProvidersFile({ sandbox: 'http://127.0.0.1:1', sandbox_b: 'http://sandbox-provider-b:3900' });
const secrets = new Secrets(newSecrets());

it("the sandbox's file has both providers for everything that our rules pay, and no secret", () => {
  const read = readProvidersFile(JSON.parse(FILE), { env: 'sandbox', allowStablecoinFundsAt: [] });
  if (!read.ok) throw new Error(read.error.join('; '));
  expect(read.value.coverage).toEqual(fullCoverage(SANDBOX_PROVIDERS));
  for (const { credential } of Object.values(secrets.providers)) expect(FILE).not.toContain(credential);
});

it("the sandbox's file names secrets that the secrets files have", async () => {
  const read = readProvidersFile(JSON.parse(FILE), { env: 'sandbox', allowStablecoinFundsAt: [] });
  if (!read.ok) throw new Error(read.error.join('; '));
  const named = new Map(
    Object.entries(secrets.providers).map(([name, secret]) => [name, { ...secret, callbackTokens: [] }]),
  );
  const connected = connectProviders(read.value.rows, named, {
    env: 'sandbox',
    clock: systemClock,
    kept: new ProviderValues(),
  });
  if (!connected.ok) throw new Error(connected.error.join('; '));
  expect(connected.value.providers.map(({ id }) => id)).toEqual(SANDBOX_PROVIDERS);
  await connected.value.close();
});
