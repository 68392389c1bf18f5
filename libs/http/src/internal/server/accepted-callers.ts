import { hash, timingSafeEqual } from 'node:crypto';

import { SettingsError } from '@vuka/runtime';

import type { OperatorName } from '../../admin/admin-calls.js';

/** Two hashes of one caller are both accepted while its credential is rotated. */
export interface AcceptedService {
  readonly caller: string;
  /** credentialHash() of what the caller shows here. */
  readonly credentialSha256: string;
}

/** People: only they may call the admin API, and nothing else. */
export interface AcceptedOperator {
  readonly caller: string;
  /** At least 32 characters without spaces. */
  readonly credential: string;
  readonly operator: OperatorName;
}

export type AcceptedCaller = AcceptedService | AcceptedOperator;

const SHORTEST_CREDENTIAL = 32;

/** Hexadecimal. Plain SHA-256 is enough for 32 random bytes: nobody can try them all. */
export function credentialHash(credential: string): string {
  return hash('sha256', credential, 'hex');
}

export const isOperator = (caller: AcceptedCaller): caller is AcceptedOperator => 'operator' in caller;

/** Compares all hashes in constant time, so that timing reveals neither callers nor prefixes. */
export function callersOf(
  accept: readonly AcceptedCaller[],
): (authorization: string | undefined) => AcceptedCaller | null {
  const known = accept.map((caller) => ({ caller, digest: digestOf(caller) }));
  for (const { caller, digest } of known) {
    const other = known.find((one) => one.digest.equals(digest) && isAnother(one.caller, caller));
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

function digestOf(caller: AcceptedCaller): Buffer {
  if (!isOperator(caller)) return hashBytes(caller);
  const { credential } = caller;
  if (credential.length < SHORTEST_CREDENTIAL || /[^\x21-\x7e]/.test(credential))
    throw new SettingsError(
      `the internal credential of ${caller.caller} must have ${String(SHORTEST_CREDENTIAL)} characters or more, and no spaces`,
    );
  return hash('sha256', credential, 'buffer');
}

function hashBytes({ caller, credentialSha256 }: AcceptedService): Buffer {
  if (!/^[0-9a-f]{64}$/.test(credentialSha256))
    throw new SettingsError(`credential_sha256 of ${caller} must be 64 hexadecimal digits in lower case`);
  return Buffer.from(credentialSha256, 'hex');
}

/** Two people never share one; a service may be listed twice with the same. */
function isAnother(one: AcceptedCaller, other: AcceptedCaller): boolean {
  return one !== other && (one.caller !== other.caller || isOperator(one));
}
