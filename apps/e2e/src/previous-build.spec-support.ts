import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { minorOf, type CallbackPayload, type DisburseBody, type ReceivedWebhook, type SandboxPartner, type TransferBody } from '@vuka/testing';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const CAPTURES = fileURLToPath(new URL('./previous-build/', import.meta.url));
const RESTORED_WITHIN_MS = 60_000;

/** A request a partner sent to the earlier build. `status` 0: no answer came, for the build was killed. */
export interface CapturedRequest {
  readonly partner: number;
  readonly path: string;
  readonly body: (TransferBody | DisburseBody) & { readonly reference: string };
  readonly idempotencyKey?: string;
  readonly status: number;
  readonly answer: string;
}

/** What the tests read of a capture (tools/capture-data-folder.mjs). */
export interface Capture {
  readonly commit: string;
  readonly memory: {
    readonly callbackOrigin: string;
    /** The text of `POST /account/detail` before the first request, by partner. */
    readonly openings: Readonly<Record<string, string>>;
    readonly sent: readonly CapturedRequest[];
    readonly webhooks: readonly { readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly rawBody: string; readonly partner: number | null }[];
  };
  readonly files: Readonly<Record<string, string>>;
}

export function readCapture(file: string): Capture {
  return JSON.parse(gunzipSync(readFileSync(join(CAPTURES, file))).toString('utf8')) as Capture;
}

export function partnersOf({ files }: Capture): readonly SandboxPartner[] {
  return (JSON.parse(files['sandbox.json'] ?? '{}') as { partners: SandboxPartner[] }).partners;
}

/** A partner's wallets before its first request, in minor units. */
export function openingsOf({ memory }: Capture, partner: number): Map<string, bigint> {
  const found = (memory.openings[partner] ?? '').matchAll(/"balance":([\d.]+),"currency":"([A-Z]{3})"/g);
  return new Map([...found].map(([, balance = '', currency = '']) => [currency, minorOf(balance, currency)]));
}

/** The webhooks the partners had taken before the kill, as a receiver keeps them. */
export function webhooksOf({ memory }: Capture): ReceivedWebhook[] {
  return memory.webhooks.map(({ path, headers, rawBody, partner }) => ({
    ...{ path, headers, rawBody, partner, payload: JSON.parse(rawBody) as CallbackPayload },
    id: headers['webhook-id'] ?? '',
    sequence: Number(headers['x-vuka-sequence']),
    event: headers['x-vuka-event'] ?? '',
  }));
}

/** Makes a data folder of the capture. The tool ends by killing itself, as the Vuka did whose folder it was. */
export function restore(file: string, folder: string, callbackOrigin: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const args = [join(ROOT, 'tools/restore-data-folder.mjs'), join(CAPTURES, file), folder, callbackOrigin];
    execFile(process.execPath, args, { cwd: ROOT, timeout: RESTORED_WITHIN_MS }, (_, stdout, stderr) => {
      if (stdout.endsWith('restored\n')) resolve();
      else reject(new Error(`the capture could not be restored:\n${stdout}${stderr}`));
    });
  });
}
