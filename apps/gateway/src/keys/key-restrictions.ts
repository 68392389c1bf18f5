import { plainRange } from '@vuka/config';
import { fail, ok, type Result } from '@vuka/domain';

import { type KeyKind, SCOPES } from '../operations/index.js';

export interface KeyRestrictions {
  /** For people. */
  readonly label: string | null;
  /** null: all of its kind. */
  readonly scopes: readonly string[] | null;
  /** Canonical ranges; null: anywhere. */
  readonly addresses: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** Each request checks all of them. */
export const MOST_RANGES = 100;

/** Errors: invalid_request, naming each fault. */
export function keyRestrictionsOf(kind: KeyKind, given: KeyRestrictions, now: Date): Result<KeyRestrictions> {
  const scopes = scopesOf(kind, given.scopes);
  if (!scopes.ok) return scopes;
  const addresses = addressesOf(given.addresses);
  if (!addresses.ok) return addresses;
  if (given.expiresAt !== null && given.expiresAt <= now)
    return refused(`expiry must be in the future: ${given.expiresAt.toISOString()} has passed`);
  return ok({ label: given.label, scopes: scopes.value, addresses: addresses.value, expiresAt: given.expiresAt });
}

function scopesOf(kind: KeyKind, given: readonly string[] | null): Result<readonly string[] | null> {
  if (given === null) return ok(null);
  const known: readonly string[] = SCOPES[kind];
  const odd = given.find((scope) => !known.includes(scope));
  if (odd !== undefined) return refused(`"${odd}" is no scope of a ${kind} key, which has ${known.join(', ')}`);
  if (given.length === 0)
    return refused(`scopes must name at least one of ${known.join(', ')}; a key that may do all of them is given none`);
  return ok(known.filter((scope) => given.includes(scope)));
}

function addressesOf(given: readonly string[] | null): Result<readonly string[] | null> {
  if (given === null) return ok(null);
  const ranges = given.map((text) => plainRange(text.trim()));
  const odd = given[ranges.indexOf(null)];
  if (odd !== undefined)
    return refused(
      `"${odd}" is no address or range of addresses such as 192.0.2.0/24 or 2001:db8::/32, with nothing set beyond its prefix`,
    );
  if (given.length === 0 || given.length > MOST_RANGES)
    return refused(
      `addresses must be 1 to ${String(MOST_RANGES)} ranges; a key that may be used from anywhere is given none`,
    );
  return ok([...new Set(ranges as string[])]);
}

function refused(message: string): Result<never> {
  return fail({ code: 'invalid_request', message });
}
