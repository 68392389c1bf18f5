import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

import { SettingsError } from '@vuka/runtime';

import type { OperatorName } from '../../admin/admin-calls.js';

/** Who may call: the name is for logs. Two entries of one caller are a credential and its successor. */
export interface AcceptedCaller {
  readonly caller: string;
  /** At least 32 characters without spaces. */
  readonly credential: string;
  /** There where people call: they may call the admin part and nothing else, which nobody else may. */
  readonly operator?: OperatorName;
}

const SHORTEST_CREDENTIAL = 32;

/**
 * Which caller a credential is of, null for nobody's. Digests under a key of this process's own are compared, each in constant
 * time and always all of them, so that neither the time nor a guess at a prefix tells anything.
 */
export function callersOf(
  accept: readonly AcceptedCaller[],
): (authorization: string | undefined) => AcceptedCaller | null {
  const salt = randomBytes(32).toString('hex');
  const digestOf = (credential: string): Buffer => hash('sha256', salt + credential, 'buffer');
  const shared = accept.find(
    (one) => one.operator !== undefined && accept.some((other) => other !== one && other.credential === one.credential),
  );
  // Whose name would stand on the record, and is it one person or two?
  if (shared !== undefined)
    throw new SettingsError(`the internal credential of ${shared.caller} must be nobody else's`);
  const known = accept.map((one) => {
    const { caller, credential } = one;
    if (credential.length < SHORTEST_CREDENTIAL || /[^\x21-\x7e]/.test(credential)) {
      throw new SettingsError(
        `the internal credential of ${caller} must have ${String(SHORTEST_CREDENTIAL)} characters or more, and no spaces`,
      );
    }
    return { caller: one, digest: digestOf(credential) };
  });
  return (authorization) => {
    const shown = digestOf(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
    let found: AcceptedCaller | null = null;
    for (const { caller, digest } of known) if (timingSafeEqual(digest, shown)) found = caller;
    return found;
  };
}
