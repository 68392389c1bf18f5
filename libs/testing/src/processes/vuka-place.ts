import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { OutsideView } from '../checker/outside-view.js';
import { StackProcess } from './stack-process.js';
import { testProfile } from './start-vuka.js';
import { SEED, VukaProcess, type Environment } from './vuka-process.js';

/** The shared Vuka's folder, set by tools/test/test.mjs. */
export const SHARED_FOLDER = 'VUKA_TEST_SHARED';
export const PARTNERS_OF_A_FIXTURE = 2;

/** Settings of suites that can share a Vuka. Destination lookups keep the default limit, which counts per partner. */
export const SHARED_SETTINGS: Environment = { RATE_LIMIT_DESTINATION: '' };

export const placesOf = (dataDir: string): string => join(dataDir, 'places');
export const ACCOUNT = 'account.json';
export const SEED_FILE = 'seed';

export interface Account {
  readonly sent: OutsideView['sent'];
  readonly rows: readonly (readonly [string, ReturnType<OutsideView['rows']['get']>])[];
  readonly webhooks: OutsideView['webhooks'];
}

export interface SharedPlace {
  readonly vuka: VukaProcess;
  /** Writes down what was checked. A place without an account counts as a fault. */
  readonly account: (view: OutsideView) => void;
}

/** null where no Vuka is shared. Throws when all places are taken. */
export function takeSharedPlace(): SharedPlace | null {
  const dataDir = process.env[SHARED_FOLDER] ?? '';
  if (dataDir === '') return null;
  const env = { [SEED]: readFileSync(join(placesOf(dataDir), SEED_FILE), 'utf8') };
  const vuka =
    testProfile() === 'distributed'
      ? new StackProcess(dataDir, { dataDir, env })
      : new VukaProcess(dataDir, { dataDir, env });
  const partners = vuka.sandboxFile()?.partners ?? [];
  for (let first = 0; first < partners.length; first += PARTNERS_OF_A_FIXTURE) {
    const folder = join(placesOf(dataDir), String(first));
    if (!isTakenNow(folder)) continue;
    vuka.attach(partners.slice(first, first + PARTNERS_OF_A_FIXTURE));
    return { vuka, account: (view) => writeFileSync(join(folder, ACCOUNT), JSON.stringify(accountOf(view))) };
  }
  throw new Error(`all ${partners.length / PARTNERS_OF_A_FIXTURE} places on the shared Vuka are taken`);
}

/** Several may try at once; the one that makes the folder gets the place. */
function isTakenNow(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function accountOf({ sent, rows, webhooks }: OutsideView): Account {
  return { sent, rows: [...rows], webhooks };
}
