import { fail, ok, type Result } from '@vuka/domain';

import { MOST_PURPOSES, type TransferName, type TransferPurpose } from '../value/index.js';

type Name = Pick<TransferName, 'chain' | 'orderId' | 'reference'>;

/**
 * A transfer (of an exchange) may fund several pays or orders of different payers. So the purpose is never
 * guessed, even if only one waits now. `purposes` in RefundStore's order. Errors: not_found, invalid_request
 * (several).
 */
export function choosePurpose(name: Name, purposes: readonly TransferPurpose[]): Result<TransferPurpose> {
  const [first] = purposes;
  if (!first) return fail({ code: 'not_found', message: nothingOf(name) });
  const meant = purposes.filter(({ waits, goesBack, isOrdered }) => goesBack || (first.waits && (waits || isOrdered)));
  return meant.length > 1 ? several(meant) : ok(meant[0] ?? first);
}

function nothingOf({ chain, orderId, reference }: Name): string {
  const what = [
    ...(orderId === null ? [] : [`the order_id ${orderId}`]),
    ...(reference === null ? [] : [`the reference ${reference}`]),
  ].join(' and ');
  return `Nothing of yours that arrived on ${chain} by this transaction_hash${what === '' ? '' : ` for ${what}`} can be sent back`;
}

function several(meant: readonly TransferPurpose[]): Result<never> {
  // An open order has no partner's id here yet.
  const orders = meant.filter(({ transactionCode, orderId }) => orderId !== null || transactionCode === null);
  const pays = meant.filter((one) => !orders.includes(one));
  const fields = [...(orders.length > 0 ? ['order_id'] : []), ...(pays.length > 0 ? ['reference'] : [])];
  const what = pays.length === 0 ? 'orders' : orders.length === 0 ? 'payments' : 'orders and payments';
  const names = meant
    .slice(0, MOST_PURPOSES)
    .map(({ orderId, transactionCode }) => orderId ?? transactionCode ?? 'one that has not ended');
  const list = [...names, ...(meant.length > MOST_PURPOSES ? ['others'] : [])].join(', ');
  const message = `The ${fields.join(' or ')} field is required: this transfer brought value for several of your ${what} (${list})`;
  return fail({
    code: 'invalid_request',
    message,
    faults: fields.map((field) => ({ detail: message, pointer: `/${field}` })),
  });
}
