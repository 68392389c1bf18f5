import { pino } from 'pino';

import { startSandboxRail } from './sandbox-rail.js';

/** The rail alone: SANDBOX_RAIL_FOLDER and SANDBOX_RAIL_CREDENTIAL are required, SANDBOX_RAIL_PORT is 3900 unless set. */
const log = pino({ name: 'sandbox-rail' });

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

const rail = await startSandboxRail({
  folder: required('SANDBOX_RAIL_FOLDER'),
  credential: required('SANDBOX_RAIL_CREDENTIAL'),
  port: portSetting(),
  log,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void rail.stop());
