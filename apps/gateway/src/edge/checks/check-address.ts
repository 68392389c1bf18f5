import { callerOf, type HttpProblem } from '../../http/index.js';
import type { OperationCheck } from '../operation-check.js';

/** Never which they are: that would tell whoever took the key where to send it from. */
const WRONG_ADDRESS: HttpProblem = {
  code: 'forbidden',
  message: 'This key may not be used from the address that this request came from',
};

/** 403: where the request came from; an address that is not known any more is in no list. */
export const checkAddress: OperationCheck = (request) => {
  const { addresses } = callerOf(request);
  const { cameFrom } = request;
  return addresses === null || (cameFrom !== undefined && addresses.has(cameFrom)) ? null : WRONG_ADDRESS;
};
