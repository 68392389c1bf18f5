import { type ProfileId, PROFILES } from './rail-profile.js';
import { type RailLog, startSandboxRail } from './sandbox-rail.js';

/**
 * One rail alone: SANDBOX_RAIL_FOLDER and SANDBOX_RAIL_CREDENTIAL are required, SANDBOX_RAIL_PORT is 3900 and
 * SANDBOX_RAIL_PROFILE `sandbox` unless set.
 */
const log: RailLog = { info: writer('info'), warn: writer('warn'), error: writer('error') };

/** JSON lines on stdout. The rail stands for the outside world and shares nothing with the services, their logger neither. */
function writer(level: string): (fields: object, message: string) => void {
  return (fields, message) => {
    const plain = Object.entries(fields).map(([name, value]: [string, unknown]): [string, unknown] => [name, value instanceof Error ? (value.stack ?? value.message) : value]);
    process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), ...Object.fromEntries(plain), message })}\n`);
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

function portSetting(): number {
  const text = process.env['SANDBOX_RAIL_PORT'] ?? '3900';
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('SANDBOX_RAIL_PORT is not a port number');
  return Number(text);
}

function profileSetting(): ProfileId {
  const text = process.env['SANDBOX_RAIL_PROFILE'] ?? 'sandbox';
  if (!Object.hasOwn(PROFILES, text)) throw new Error(`SANDBOX_RAIL_PROFILE is none of ${Object.keys(PROFILES).join(', ')}`);
  return text as ProfileId;
}

const rail = await startSandboxRail({
  folder: required('SANDBOX_RAIL_FOLDER'),
  credential: required('SANDBOX_RAIL_CREDENTIAL'),
  port: portSetting(),
  profile: profileSetting(),
  log,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void rail.stop());
