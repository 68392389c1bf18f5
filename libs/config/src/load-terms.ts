import { readFile } from 'node:fs/promises';

import { applyTerms, defaultTerms, type Currencies } from '@vuka/domain';
import { BootError } from '@vuka/runtime';

import type { Settings } from './settings.js';

const MAX_BYTES = 1_000_000;

/** Throws BootError with the row and the rule. */
export async function loadTerms({ termsFile, env }: Pick<Settings, 'termsFile' | 'env'>): Promise<Currencies> {
  const base = defaultTerms(env);
  if (termsFile === undefined) return base;
  const terms = applyTerms(base, await readJson(termsFile));
  if (terms.ok) return terms.value;
  throw new BootError(
    `VUKA_TERMS_FILE ${termsFile} breaks a rule: ${terms.error}`,
    'docs/operators/terms.md says what may be set.',
  );
}

async function readJson(path: string): Promise<unknown> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} characters`);
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new BootError(
      `VUKA_TERMS_FILE ${path} cannot be read as JSON`,
      'Correct the path or the file; docs/operators/terms.md has an example.',
      { cause: error },
    );
  }
}
