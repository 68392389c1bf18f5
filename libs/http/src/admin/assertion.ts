import { ROLES, ruleOf } from '@vuka/contracts';
import { samePerson } from '@vuka/domain';
import type { Clock, SigningKey, VerifyingKey } from '@vuka/runtime';
import { z } from 'zod';

import { type Actor, bearerOf, type PeopleDoor, type Person } from './actor.js';
import { type Approver, isApproved } from './approval-signature.js';
import { digestOf, signJws, verifiedJws } from './jws.js';

/** Seconds. */
const LIFE = 60;
/** Seconds by which clocks of two machines may differ (architecture.md, the distributed profile). */
const SKEW = 5;
const name = z.string().min(1).max(80);
/** Names of RFC 7519. Times in seconds. */
const claims = z.strictObject({
  iss: z.literal('admin'),
  aud: z.string().max(40),
  sub: name.nullable(),
  jti: z.uuid(),
  iat: z.int(),
  exp: z.int(),
  role: z.enum(ROLES),
  approved_by: name.nullable(),
  operation: z.string().max(80),
  args_sha256: z.string().length(43),
  /** The approver's own signature. */
  approval: z.string().max(4_000).nullable(),
});
type Claims = z.output<typeof claims>;

export interface Asked {
  readonly service: string;
  readonly method: string;
  /** Tagged JSON. */
  readonly args: readonly unknown[];
}

/** A compact JWS (RFC 7515, RFC 8037) for one call of one service. It holds for a minute. */
export function signAssertion(signing: SigningKey, clock: Clock, actor: Actor, asked: Asked): string {
  const now = Math.floor(clock.now().getTime() / 1_000);
  const body: z.input<typeof claims> = {
    iss: 'admin',
    aud: asked.service,
    sub: actor.name,
    jti: actor.operationId,
    iat: now,
    exp: now + LIFE,
    role: actor.role,
    approved_by: actor.approvedBy,
    operation: asked.method,
    args_sha256: digestOf(asked.args),
    approval: actor.signature ?? null,
  };
  return signJws(signing, body);
}

/** In `admin_keys`: a sealed key, for when admin is down. */
const BREAK_GLASS_KEY_ID = 'break-glass';

export interface DoorOptions {
  readonly approvers?: readonly Approver[];
  /** Called at each use of the sealed key. */
  readonly onBreakGlass?: (used: { readonly operator: string | null; readonly method: string }) => void;
}

/**
 * The door of a service: whoever shows what admin has signed for it. Several keys while one is rotated. With
 * `approvers` what needs two people also needs the second one's own signature.
 */
export function assertionDoor(
  service: string,
  keys: readonly VerifyingKey[],
  clock: Clock,
  { approvers = [], onBreakGlass }: DoorOptions = {},
): PeopleDoor {
  return {
    admit: async (authorization) => {
      const shown = verifiedJws(bearerOf(authorization) ?? '', keys);
      const found = claims.safeParse(shown?.claims).data;
      if (shown === undefined || found === undefined || found.aud !== service) return null;
      const now = clock.now().getTime() / 1_000;
      if (found.exp - found.iat > LIFE || found.iat > now + SKEW || found.exp < now - SKEW) return null;
      // The service's own rule, whatever admin says.
      if (found.approved_by !== null && (found.sub === null || samePerson(found.sub, found.approved_by))) return null;
      if (shown.keyId !== BREAK_GLASS_KEY_ID) return personOf(found, isAgreed(found, approvers, clock.now()));
      onBreakGlass?.({ operator: found.sub, method: found.operation });
      return { ...personOf(found, isOwnWord(found, approvers, clock.now())), isBreakGlass: true };
    },
  };
}

function personOf(
  { aud, sub, role, approved_by: approvedBy, jti, operation, args_sha256 }: Claims,
  agreed: boolean,
): Person {
  return {
    name: sub,
    role,
    approvedBy,
    operationId: jti,
    covers: (service, method, args) =>
      agreed && service === aud && method === operation && digestOf(args) === args_sha256,
  };
}

/** By the sealed key, whoever asks for it signs by a key of his own. */
export function signsItself(service: string, method: string): boolean {
  const least = ruleOf(service, method)?.least;
  return least === 'money' || least === 'admin';
}

/** Without admin nobody vouches for a name: one person with the sealed key could propose in that of another. */
function isOwnWord(
  { aud, operation, sub, approved_by, args_sha256, approval }: Claims,
  approvers: readonly Approver[],
  now: Date,
): boolean {
  if (approvers.length === 0 || !signsItself(aud, operation)) return true;
  const what = { service: aud, method: operation, argsSha256: args_sha256, askedBy: null, operationId: null, now };
  return approved_by === null && isApproved(approvers, approval, { ...what, approver: sub ?? '' });
}

/** Where the service knows approvers, the word of the second person is theirs: admin alone cannot say it. */
function isAgreed(
  { aud, operation, sub, approved_by, jti, args_sha256, approval }: Claims,
  approvers: readonly Approver[],
  now: Date,
): boolean {
  const rule = ruleOf(aud, operation);
  if (approvers.length === 0 || rule === undefined) return true;
  const what = { service: aud, method: operation, argsSha256: args_sha256, now };
  if (rule.agrees === true)
    return isApproved(approvers, approval, { ...what, approver: sub ?? '', askedBy: null, operationId: null });
  if (rule.approvals === 0 || approved_by === null) return true;
  return isApproved(approvers, approval, { ...what, approver: approved_by, askedBy: sub, operationId: jti });
}
