import type { Chain } from '../chain/chain.js';
import { chainNamed, DEFAULT_CHAIN } from '../chain/registry.js';
import {
  described,
  faultsOf,
  lineUpTo,
  optional,
  readFields,
  refusal,
  required,
  textAs,
  type RequestFields,
} from './field-rules.js';
import { onceFor } from './once-for.js';
import { addressOn, CHAIN_FIELD, DEPOSIT_FIELDS, hashOf, MAX_ADDRESS, MAX_HASH } from './pay-request.js';
import { REFERENCE_PATTERN } from './payout-request.js';
import { ok, type Result } from '../result/result.js';

/** payments knows whether there is anything to refund. */
export interface RefundRequest {
  readonly chain: Chain['name'];
  /** The deposit's; canonical. */
  readonly transactionHash: string;
  /** Only the form is checked. null: the registered one. */
  readonly refundAddress: string | null;
  /** The partner's order id: only deposits for that order. */
  readonly orderId: string | null;
  /** A payment's transaction_code: only deposits for it. */
  readonly reference: string | null;
}

const REFUND_ADDRESS = described(
  lineUpTo(MAX_ADDRESS),
  'Where it goes: an address of its chain. Without it: the return address that is registered for you.',
);

const nameOf = (description: string): ReturnType<typeof lineUpTo> =>
  textAs(
    (sent) => (REFERENCE_PATTERN.test(sent) ? sent : null),
    'be 1 to 100 letters, digits or the characters . _ : -',
    { pattern: REFERENCE_PATTERN.source, description },
  );

/** One transfer may pay several; each value belongs to another payer. */
const NAME_FIELDS = {
  order_id: optional(
    nameOf('Only what came for this order. Where one transfer brought value for several, it has to be said which.'),
  ),
  reference: optional(nameOf('The same for a payment: its transaction_code.')),
};

/** For any chain (decisions.md section 2). */
export const REFUND_FIELDS = { ...DEPOSIT_FIELDS, refund_address: optional(REFUND_ADDRESS), ...NAME_FIELDS };

const fieldsOn = onceFor((chain: Chain) => ({
  transaction_hash: required(hashOf(chain.family)),
  refund_address: optional(addressOn(chain, REFUND_ADDRESS)),
  ...NAME_FIELDS,
}));

/** Errors: invalid_request, and unsupported_network for an unknown chain. */
export function parseRefund(body: RequestFields): Result<RefundRequest> {
  const read = readFields(body, CHAIN_FIELD);
  const chain = read.ok ? (read.value.chain ?? chainNamed(DEFAULT_CHAIN)) : undefined;
  const rest = readFields(
    body,
    chain === undefined
      ? { transaction_hash: required(lineUpTo(MAX_HASH)), refund_address: optional(REFUND_ADDRESS), ...NAME_FIELDS }
      : fieldsOn(chain),
  );
  if (chain === undefined || !rest.ok) return refusal(faultsOf(read, rest));
  const {
    transaction_hash: transactionHash,
    refund_address: refundAddress = null,
    order_id: orderId = null,
    reference = null,
  } = rest.value;
  return ok({ chain: chain.name, transactionHash, refundAddress, orderId, reference });
}
