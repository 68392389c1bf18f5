import { readFileSync } from 'node:fs';

import { type ProfileId, PROFILES } from './book/provider-profile.js';
import { type ProviderLog, startSandboxProvider } from './sandbox-provider.js';

/**
 * Required: SANDBOX_PROVIDER_FOLDER, SANDBOX_PROVIDER_CREDENTIAL or SANDBOX_PROVIDER_CREDENTIAL_FILE. Defaults:
 * SANDBOX_PROVIDER_HOST 127.0.0.1, SANDBOX_PROVIDER_PORT 3900, SANDBOX_PROVIDER_PROFILE `sandbox`.
 */
const log: ProviderLog = { info: writer('info'), warn: writer('warn'), error: writer('error') };

/** The provider stands for the outside world, so it shares no code with the services. */
function writer(level: string): (fields: object, message: string) => void {
  return (fields, message) => {
    const plain = Object.entries(fields).map(([name, value]: [string, unknown]): [string, unknown] => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]);
    process.stdout.write(
      `${JSON.stringify({ level, time: new Date().toISOString(), ...Object.fromEntries(plain), message })}\n`,
    );
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

/** A file keeps it out of the container's description. */
function credentialSetting(): string {
  const path = process.env['SANDBOX_PROVIDER_CREDENTIAL_FILE'];
  return path === undefined || path === ''
    ? required('SANDBOX_PROVIDER_CREDENTIAL')
    : readFileSync(path, 'utf8').trim();
}

function portSetting(): number {
  const text = process.env['SANDBOX_PROVIDER_PORT'] ?? '3900';
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('SANDBOX_PROVIDER_PORT is not a port number');
  return Number(text);
}

function profileSetting(): ProfileId {
  const text = process.env['SANDBOX_PROVIDER_PROFILE'] ?? 'sandbox';
  if (!Object.hasOwn(PROFILES, text))
    throw new Error(`SANDBOX_PROVIDER_PROFILE must be one of ${Object.keys(PROFILES).join(', ')}`);
  return text as ProfileId;
}

const provider = await startSandboxProvider({
  folder: required('SANDBOX_PROVIDER_FOLDER'),
  credential: credentialSetting(),
  host: process.env['SANDBOX_PROVIDER_HOST'] || '127.0.0.1',
  port: portSetting(),
  profile: profileSetting(),
  log,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void provider.stop());
