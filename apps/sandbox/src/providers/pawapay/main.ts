import { readFileSync } from 'node:fs';

import type { ProviderLog } from '../sandbox-provider.js';
import { hundredths, isAmount } from './data/amount.js';
import { startPawapaySimulator } from './pawapay-simulator.js';

/**
 * The simulator alone: PAWAPAY_SIMULATOR_FOLDER and PAWAPAY_SIMULATOR_TOKEN (or PAWAPAY_SIMULATOR_TOKEN_FILE, which holds it) are required.
 * PAWAPAY_SIMULATOR_HOST is 127.0.0.1, _PORT 3910 and _CONTROL_PORT 3911 unless set; _PUBLIC_URL and _CALLBACK_URL are none,
 * _CONTROL_TOKEN is the token. _OPENING is what each wallet opens with, _FEE what each payment costs, as decimal strings.
 * With _TLS_KEY_FILE and _TLS_CERT_FILE the API, not the control, speaks https.
 */
const log: ProviderLog = { info: writer('info'), warn: writer('warn'), error: writer('error') };

/** JSON lines on stdout: the simulator stands for the outside world and does not share the services' logger. */
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

function setting(name: string): string | undefined {
  return process.env[`PAWAPAY_SIMULATOR_${name}`] || undefined;
}

function required(name: string): string {
  const value = setting(name);
  if (value === undefined) throw new Error(`PAWAPAY_SIMULATOR_${name} is not set`);
  return value;
}

function portSetting(name: string, otherwise: string): number {
  const text = setting(name) ?? otherwise;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new Error(`PAWAPAY_SIMULATOR_${name} is not a port number`);
  return Number(text);
}

function amountSetting(name: string): string | undefined {
  const text = setting(name);
  if (text !== undefined && !isAmount(text)) throw new Error(`PAWAPAY_SIMULATOR_${name} is no amount`);
  return text;
}

/** A file keeps it out of what a container's description tells. */
function tokenSetting(): string {
  const path = setting('TOKEN_FILE');
  return path === undefined ? required('TOKEN') : readFileSync(path, 'utf8').trim();
}

const keyFile = setting('TLS_KEY_FILE');
const controlToken = setting('CONTROL_TOKEN');
const publicUrl = setting('PUBLIC_URL');
const opening = amountSetting('OPENING');
const fee = amountSetting('FEE');
const simulator = await startPawapaySimulator({
  folder: required('FOLDER'),
  token: tokenSetting(),
  host: setting('HOST') ?? '127.0.0.1',
  port: portSetting('PORT', '3910'),
  controlPort: portSetting('CONTROL_PORT', '3911'),
  settings: {
    callbacks: { url: setting('CALLBACK_URL') ?? null },
    ...(opening !== undefined && { opening }),
    ...(fee !== undefined && { fees: { default: { fixedHundredths: hundredths(fee), basisPoints: 0n } } }),
  },
  ...(controlToken !== undefined && { controlToken }),
  ...(publicUrl !== undefined && { publicUrl }),
  ...(keyFile !== undefined && {
    tls: { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(required('TLS_CERT_FILE'), 'utf8') },
  }),
  log,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop());
