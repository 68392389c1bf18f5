import { randomUUID, timingSafeEqual } from 'node:crypto';

import type { Role } from '@vuka/contracts';

import { credentialHash } from '../internal/server/accepted-callers.js';
import { bearerOf, type OperatorName, type PeopleDoor } from './actor.js';

export interface KnownOperator {
  readonly name: OperatorName;
  readonly role: Role;
  /** Hexadecimal. The credential is random and long, so that a plain hash keeps it. */
  readonly credentialSha256: string;
}

/** The door of admin: people with a credential. Each request is an operation of its own. */
export function operatorDoor(known: () => Promise<readonly KnownOperator[]>): PeopleDoor {
  return {
    admit: async (authorization) => {
      const shown = Buffer.from(credentialHash(bearerOf(authorization) ?? ''), 'hex');
      const [found] = (await known()).filter(({ credentialSha256 }) =>
        timingSafeEqual(Buffer.from(credentialSha256, 'hex'), shown),
      );
      if (found === undefined) return null;
      const { name, role } = found;
      return { name, role, approvedBy: null, operationId: randomUUID(), covers: () => true };
    },
  };
}
