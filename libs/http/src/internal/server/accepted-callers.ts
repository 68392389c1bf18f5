import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

import { SettingsError } from '@vuka/runtime';

/** A caller may appear twice while its credential is rotated. */
export interface AcceptedCaller {
  readonly caller: string;
  /** At least 32 characters without spaces. */
  readonly credential: string;
}

const SHORTEST_CREDENTIAL = 32;

/** Compares all keyed digests in constant time, so that timing reveals neither callers nor prefixes. */
export function callersOf(
  accept: readonly AcceptedCaller[],
): (authorization: string | undefined) => AcceptedCaller | null {
  const salt = randomBytes(32).toString('hex');
  const digestOf = (credential: string): Buffer => hash('sha256', salt + credential, 'buffer');
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
