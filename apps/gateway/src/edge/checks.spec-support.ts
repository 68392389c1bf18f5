import type { FastifyReply, FastifyRequest } from 'fastify';

import type { HttpProblem } from '../http/index.js';
import type { Caller } from '../keys/authenticate-caller.js';
import type { Operation } from '../operations/operation.js';
import { checkAddress } from './checks/check-address.js';
import { checkScope } from './checks/check-scope.js';
import { checkSuspension } from './checks/check-suspension.js';

/**
 * Written independently of the table: the scope each operation needs (docs/partners/keys.md), and what a suspended
 * partner gets.
 */
export const NEEDS: Readonly<Record<string, readonly [scope: string, suspended: 'refused' | 'told']>> = {
  bankTransfer: ['payouts', 'refused'],
  disburse: ['payouts', 'refused'],
  pay: ['payouts', 'refused'],
  quote: ['payouts', 'refused'],
  sandboxPayout: ['payouts', 'refused'],
  refund: ['refunds', 'refused'],
  validation: ['lookups', 'refused'],
  checkout: ['orders', 'refused'],
  status: ['read', 'told'],
  transactions: ['read', 'told'],
  accountTransaction: ['read', 'told'],
  accountDetail: ['read', 'told'],
  accountWallet: ['read', 'told'],
  accountCountries: ['read', 'told'],
  accountNetworks: ['read', 'told'],
  accountStatement: ['read', 'told'],
  limits: ['read', 'told'],
  fees: ['read', 'told'],
  banks: ['read', 'told'],
  exchangeRate: ['read', 'told'],
  exchangeRateInForce: ['read', 'told'],
  accountExchangeRate: ['read', 'told'],
  orderStatus: ['read', 'told'],
  webhookEndpoint: ['webhooks', 'told'],
  webhookTest: ['webhooks', 'refused'],
  webhookDeliveries: ['webhooks', 'told'],
  webhookResend: ['webhooks', 'refused'],
  webhookResendMany: ['webhooks', 'refused'],
};

/** Why a valid key is refused, by the checks in order; null: accepted. */
export function refusalOf(caller: Caller, operation: Operation, address: string | undefined): HttpProblem | null {
  const request = { caller, cameFrom: address } as FastifyRequest;
  for (const check of [checkScope, checkAddress, checkSuspension]) {
    const problem = check(request, {} as FastifyReply, operation) as HttpProblem | null;
    if (problem !== null) return problem;
  }
  return null;
}
