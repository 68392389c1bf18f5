import type { Caller } from '../keys/index.js';
import type { HttpProblem } from '../http/index.js';
import type { Operation } from '../operations/index.js';

/** Never which they are: that would tell whoever took the key where to send it from. */
const WRONG_ADDRESS: HttpProblem = {
  code: 'forbidden',
  message: 'This key may not be used from the address that this request came from',
};

const SUSPENDED: HttpProblem = {
  code: 'forbidden',
  message:
    'Your account is suspended, so nothing new is started for it. Status, lists and webhooks go on telling what becomes of what you sent before',
};

/**
 * Why a key that opens may not do this (decisions.md section 1, 403): the kind of key, then its scope, then the address that the request came from
 * (undefined: not known any more, and in no list), and at last whether its partner is suspended. null: it may.
 */
export function refusalOf(caller: Caller, operation: Operation, address: string | undefined): HttpProblem | null {
  if (operation.key === null) return null;
  if (operation.key !== 'either' && caller.kind !== operation.key) {
    return { code: 'forbidden', message: `This operation takes a ${operation.key} key, not a ${caller.kind} key` };
  }
  if (caller.scopes !== null && !caller.scopes.includes(operation.scope)) {
    return {
      code: 'forbidden',
      message: `This operation needs the scope ${operation.scope}, which this key does not have`,
    };
  }
  if (caller.addresses !== null && (address === undefined || !caller.addresses.has(address))) return WRONG_ADDRESS;
  return caller.suspended && operation.notWhileSuspended === true ? SUSPENDED : null;
}
