import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { OutsideView } from '../checker/outside-view.js';
import { StackProcess } from './stack-process.js';
import { testProfile } from './start-vuka.js';
import { SEED, VukaProcess, type Environment } from './vuka-process.js';

/** The folder of a Vuka that suites share, set for them by the command that runs them (tools/test/test.mjs). */
export const SHARED_FOLDER = 'VUKA_TEST_SHARED';
export const PARTNERS_OF_A_FIXTURE = 2;

/** What such suites play on, together or one alone. Lookups of a destination are limited as by default: each partner's count for itself. */
export const SHARED_SETTINGS: Environment = { RATE_LIMIT_DESTINATION: '' };

/** Below the folder of a shared Vuka: its seed, and a folder for each place that is taken. */
export const placesOf = (dataDir: string): string => join(dataDir, 'places');
export const ACCOUNT = 'account.json';
export const SEED_FILE = 'seed';

/** What one fixture did and was told, for the look at all of them together. */
export interface Account {
  readonly sent: OutsideView['sent'];
  /** Entries of a map. */
  readonly rows: readonly (readonly [string, ReturnType<OutsideView['rows']['get']>])[];
  readonly webhooks: OutsideView['webhooks'];
}

/** A fixture's place on a shared Vuka. */
export interface SharedPlace {
  /** With partners that nobody else has. */
  readonly vuka: VukaProcess;
  /** Writes down what was found sound; a place without an account is a fault in the end. */
  readonly account: (view: OutsideView) => void;
}

/** A free place; null where there is no Vuka to share. Throws when all are taken. */
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

/** Of those who try at once one makes the folder. */
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
