import type { KeyKind } from '../operations/index.js';
import type { IssuedKey } from '../keys/index.js';

/** Times in ISO 8601. */
export interface KeyView {
  readonly visible_prefix: string;
  readonly partner_id: number;
  readonly kind: KeyKind;
  readonly state: 'live' | 'expired' | 'revoked';
  readonly label: string | null;
  /** null: all of its kind. */
  readonly scopes: readonly string[] | null;
  /** null: anywhere. */
  readonly addresses: readonly string[] | null;
  readonly created_at: string;
  /** null: Vuka itself. */
  readonly created_by: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly revoked_by: string | null;
  /** To about a minute. */
  readonly last_used_at: string | null;
  /** Visible prefix of the replacement. */
  readonly replaced_by: string | null;
}

export function keyView(key: IssuedKey, now: Date): KeyView {
  return {
    visible_prefix: key.visiblePrefix, partner_id: key.partnerId, kind: key.kind, state: stateOf(key, now), label: key.label, scopes: key.scopes, addresses: key.addresses,
    created_at: key.createdAt.toISOString(), created_by: key.createdBy, expires_at: timeOf(key.expiresAt), revoked_at: timeOf(key.revokedAt), revoked_by: key.revokedBy,
    last_used_at: timeOf(key.lastUsedAt), replaced_by: key.replacedBy,
  }; // prettier-ignore
}

export function stateOf(
  { revokedAt, expiresAt }: Pick<IssuedKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): KeyView['state'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'live';
}

function timeOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
