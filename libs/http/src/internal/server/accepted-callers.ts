import { hash, timingSafeEqual } from 'node:crypto';

import { SettingsError } from '@vuka/runtime';

/** Two hashes of one caller are both accepted while its credential is rotated. */
export interface AcceptedCaller {
  readonly caller: string;
  /** credentialHash() of what the caller shows here. */
  readonly credentialSha256: string;
}

/** Hexadecimal. Plain SHA-256 is enough for 32 random bytes: nobody can try them all. */
export function credentialHash(credential: string): string {
  return hash('sha256', credential, 'hex');
}

/** Compares all hashes in constant time, so that timing reveals neither callers nor prefixes. */
export function callersOf(
  accept: readonly AcceptedCaller[],
): (authorization: string | undefined) => AcceptedCaller | null {
  const known = accept.map((caller) => ({ caller, digest: digestOf(caller) }));
  for (const { caller, digest } of known) {
    const other = known.find((one) => one.digest.equals(digest) && one.caller.caller !== caller.caller);
    // What is logged and audited must name one caller.
    if (other !== undefined)
      throw new SettingsError(
        `the internal credential of ${caller.caller} must not be the credential of another caller`,
      );
  }
  return (authorization) => {
    const shown = hash('sha256', /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '', 'buffer');
    let found: AcceptedCaller | null = null;
    for (const { caller, digest } of known) if (timingSafeEqual(digest, shown)) found = caller;
    return found;
  };
}

function digestOf({ caller, credentialSha256 }: AcceptedCaller): Buffer {
  if (!/^[0-9a-f]{64}$/.test(credentialSha256))
    throw new SettingsError(`credential_sha256 of ${caller} must be 64 hexadecimal digits in lower case`);
  return Buffer.from(credentialSha256, 'hex');
}
