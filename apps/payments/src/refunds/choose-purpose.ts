import { fail, ok, type Result } from '@vuka/domain';

import { MOST_PURPOSES, type TransferName, type TransferPurpose } from '../value/index.js';

type Name = Pick<TransferName, 'chain' | 'orderId' | 'reference'>;

/**
 * Which pay or order a refund is of. One transfer (an exchange pays out many at once) may have paid several, each for another payer: none is
 * guessed, also not where only one of them waits by now, since the request may have meant one that ends later or was asked for before.
 * `purposes` as RefundStore orders them. Errors: not_found, invalid_request (several).
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
  // An order that has not ended is not known by its partner's name yet.
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
