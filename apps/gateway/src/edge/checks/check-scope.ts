import { callerOf } from '../../http/index.js';
import type { OperationCheck } from '../operation-check.js';

/** 403. */
export const checkScope: OperationCheck = (request, _reply, operation) => {
  const { kind, scopes } = callerOf(request);
  if (operation.key === null) return null;
  if (operation.key !== 'either' && kind !== operation.key)
    return { code: 'forbidden', message: `This operation takes a ${operation.key} key, not a ${kind} key` };
  if (scopes === null || scopes.includes(operation.scope)) return null;
  const message = `This operation needs the scope ${operation.scope}, which this key does not have`;
  return { code: 'forbidden', message };
};
