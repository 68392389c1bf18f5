import { readFileSync } from 'node:fs';

import { type ProfileId, PROFILES } from './book/provider-profile.js';
import { type ProviderLog, startSandboxProvider } from './sandbox-provider.js';

/**
 * One provider alone: SANDBOX_PROVIDER_FOLDER and SANDBOX_PROVIDER_CREDENTIAL (or SANDBOX_PROVIDER_CREDENTIAL_FILE, which holds it) are required,
 * SANDBOX_PROVIDER_HOST is 127.0.0.1, SANDBOX_PROVIDER_PORT 3900 and SANDBOX_PROVIDER_PROFILE `sandbox` unless set.
 */
const log: ProviderLog = { info: writer('info'), warn: writer('warn'), error: writer('error') };

/** JSON lines on stdout. The provider stands for the outside world and shares nothing with the services, their logger neither. */
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

/** A file keeps it out of what a container's description tells. */
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
    throw new Error(`SANDBOX_PROVIDER_PROFILE is none of ${Object.keys(PROFILES).join(', ')}`);
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
