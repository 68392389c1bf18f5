import { acts, personName, reads, reasonGiven, ROLES } from '@vuka/contracts';
import type { Actor } from '@vuka/http';
import { z } from 'zod';

import type { Execute } from './approvals.js';
import type { People } from './people.js';

const approval = z.string().regex(/^a[1-9]\d{0,14}$/);
const credentialSha256 = z.string().regex(/^[0-9a-f]{64}$/);
const role = z.enum(ROLES);
const name = personName;
const page = z.strictObject({
  open: z.boolean(),
  before: z.int().positive().nullable(),
  limit: z.int().positive().max(500),
});

export type PeopleMethods = ReturnType<typeof peopleMethods>;

/** Admin's own. `actor`: who asks now; `execute`: how what was agreed to is done. */
export const peopleMethods = ({ operators, approvals, sealed }: People, actor: Actor, execute: Execute) => ({
  ...sealed,
  operators: reads([], () => operators.list()),
  makeOperator: acts({ name, role, credentialSha256, reason: reasonGiven }, (wish) => operators.make(wish)),
  changeRole: acts({ name, role, reason: reasonGiven }, (wish) => operators.changeRole(wish)),
  recoverOperator: acts({ name, credentialSha256, reason: reasonGiven }, (wish) => operators.recover(wish)),
  removeOperator: acts({ name, reason: reasonGiven }, (wish) => operators.remove(wish)),
  /** Newest first. */
  approvals: reads([page], (wanted) => approvals.list(wanted)),
  approve: acts({ approval, signature: z.string().max(4_000).nullable() }, ({ approval: id, signature, by }) =>
    approvals.approve({ id: numberOf(id), by, actor }, signature, execute),
  ),
  decline: acts({ approval, reason: reasonGiven }, ({ approval: id, by, reason }) =>
    approvals.decline({ id: numberOf(id), by, actor }, reason),
  ),
});

const numberOf = (id: string): number => Number(id.slice(1));
