import { callerOf, type HttpProblem } from '../../http/index.js';
import type { OperationCheck } from '../operation-check.js';

/** Does not list the addresses: a thief would learn where to send from. */
const WRONG_ADDRESS: HttpProblem = {
  code: 'forbidden',
  message: 'This key may not be used from the address that this request came from',
};

/** 403. An unknown address is in no list. */
export const checkAddress: OperationCheck = (request) => {
  const { addresses } = callerOf(request);
  const { cameFrom } = request;
  return addresses === null || (cameFrom !== undefined && addresses.has(cameFrom)) ? null : WRONG_ADDRESS;
};
