import { samePerson } from '@vuka/domain';
import type { Clock, SigningKey, VerifyingKey } from '@vuka/runtime';
import { z } from 'zod';

import { digestOf, signJws, verifiedJws } from './jws.js';

/** Names the key in a signature; whose it is, the name of the person says. */
export const APPROVER_KEY_ID = 'approver';
/** Seconds. Long enough to try again. */
const LIFE = 600;
/** Seconds by which a person's machine may be ahead. */
const SKEW = 60;

const claims = z.strictObject({
  iss: z.string().max(80),
  aud: z.string().max(40),
  operation: z.string().max(80),
  args_sha256: z.string().length(43),
  asked_by: z.string().max(80).nullable(),
  jti: z.uuid().nullable(),
  iat: z.int(),
  exp: z.int(),
});

/** A person whose word a service knows by itself. */
export interface Approver {
  readonly name: string;
  readonly key: VerifyingKey;
}

/** What the second person has looked at. */
export interface Agreed {
  readonly service: string;
  readonly method: string;
  /** Tagged JSON. */
  readonly args: readonly unknown[];
  /** null, both: of a proposal that the service keeps, and compares by itself. */
  readonly askedBy: string | null;
  readonly operationId: string | null;
}

/** By the approver's own key, which admin has not. */
export function signApproval(name: string, signing: SigningKey, clock: Clock, agreed: Agreed): string {
  const now = Math.floor(clock.now().getTime() / 1_000);
  const body: z.input<typeof claims> = {
    iss: name,
    aud: agreed.service,
    operation: agreed.method,
    args_sha256: digestOf(agreed.args),
    asked_by: agreed.askedBy,
    jti: agreed.operationId,
    iat: now,
    exp: now + LIFE,
  };
  return signJws(signing, body);
}

export interface Wanted extends Omit<Agreed, 'args'> {
  readonly argsSha256: string;
  readonly approver: string;
  readonly now: Date;
}

/** The approver is known here and has signed this, and not for somebody else. */
export function isApproved(approvers: readonly Approver[], token: string | null, wanted: Wanted): boolean {
  const approver = approvers.find(({ name }) => samePerson(name, wanted.approver));
  if (approver === undefined || token === null) return false;
  const found = claims.safeParse(verifiedJws(token, [approver.key])?.claims).data;
  if (found === undefined) return false;
  const now = wanted.now.getTime() / 1_000;
  return (
    samePerson(found.iss, approver.name) &&
    found.aud === wanted.service &&
    found.operation === wanted.method &&
    found.args_sha256 === wanted.argsSha256 &&
    found.asked_by === wanted.askedBy &&
    found.jti === wanted.operationId &&
    found.exp - found.iat <= LIFE &&
    found.iat <= now + SKEW &&
    found.exp >= now
  );
}
