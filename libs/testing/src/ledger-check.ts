import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { VukaProcess } from './vuka-process.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WITHIN_MS = 60_000;

/** `npm run ledger:check` on this Vuka's folder, as its operator runs it; `code` 0: every standing rule holds. */
export function ledgerCheck({ dataDir }: VukaProcess): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', 'ledger:check'], { cwd: ROOT, env: { ...process.env, VUKA_DATA_DIR: dataDir }, timeout: WITHIN_MS }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
    });
  });
}
