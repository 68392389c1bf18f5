import { hash, sign, verify } from 'node:crypto';

import { ROLES } from '@vuka/contracts';
import { samePerson } from '@vuka/domain';
import type { Clock, SigningKey, VerifyingKey } from '@vuka/runtime';
import { z } from 'zod';

import { type Actor, bearerOf, type PeopleDoor, type Person } from './actor.js';

/** Seconds. */
const LIFE = 60;
/** Seconds by which clocks of two machines may differ (architecture.md, the distributed profile). */
const SKEW = 5;
const LONGEST = 4_000;
const JWS = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/;

const header = z.strictObject({ alg: z.literal('EdDSA'), typ: z.literal('JWT'), kid: z.string().max(32) });
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
});

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
  };
  const signed = `${encoded({ alg: 'EdDSA', typ: 'JWT', kid: signing.id })}.${encoded(body)}`;
  return `${signed}.${sign(null, Buffer.from(signed), signing.key).toString('base64url')}`;
}

/** The door of a service: whoever shows what admin has signed for it. Several keys while one is rotated. */
export function assertionDoor(service: string, keys: readonly VerifyingKey[], clock: Clock): PeopleDoor {
  return {
    admit: async (authorization) => {
      const found = verified(bearerOf(authorization) ?? '', keys);
      if (found === null || found.aud !== service) return null;
      const now = clock.now().getTime() / 1_000;
      if (found.exp - found.iat > LIFE || found.iat > now + SKEW || found.exp < now - SKEW) return null;
      // The service's own rule, whatever admin says.
      if (found.approved_by !== null && (found.sub === null || samePerson(found.sub, found.approved_by))) return null;
      return personOf(found);
    },
  };
}

function personOf({
  aud,
  sub,
  role,
  approved_by: approvedBy,
  jti,
  operation,
  args_sha256,
}: z.output<typeof claims>): Person {
  return {
    name: sub,
    role,
    approvedBy,
    operationId: jti,
    covers: (service, method, args) => service === aud && method === operation && digestOf(args) === args_sha256,
  };
}

function verified(token: string, keys: readonly VerifyingKey[]): z.output<typeof claims> | null {
  const [, head = '', body = '', signature = ''] = (token.length <= LONGEST && JWS.exec(token)) || [];
  const key = keys.find(({ id }) => id === header.safeParse(decoded(head)).data?.kid);
  if (key === undefined) return null;
  if (!verify(null, Buffer.from(`${head}.${body}`), key.key, Buffer.from(signature, 'base64url'))) return null;
  return claims.safeParse(decoded(body)).data ?? null;
}

function digestOf(args: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(args), 'base64url');
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
