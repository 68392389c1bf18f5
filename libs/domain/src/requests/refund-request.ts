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

/** What is to be sent back on chain, as the rules left it. Whether there is anything, payments knows. */
export interface RefundRequest {
  readonly chain: Chain['name'];
  /** Of the deposit; canonical. */
  readonly transactionHash: string;
  /** As sent; of the form of the chain's addresses. null: the one that is registered. */
  readonly refundAddress: string | null;
  /** The partner's own of an order: only what came for that. */
  readonly orderId: string | null;
  /** The transaction_code of a payment: only what came for that. */
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

/** Which of several that one transfer paid: the value of each is another payer's. */
const NAME_FIELDS = {
  order_id: optional(
    nameOf('Only what came for this order. Where one transfer brought value for several, it has to be said which.'),
  ),
  reference: optional(nameOf('The same for a payment: its transaction_code.')),
};

/** What a refund takes (decisions.md section 2, and which payment is meant), whatever the chain. */
export const REFUND_FIELDS = { ...DEPOSIT_FIELDS, refund_address: optional(REFUND_ADDRESS), ...NAME_FIELDS };

const fieldsOn = onceFor((chain: Chain) => ({
  transaction_hash: required(hashOf(chain.family)),
  refund_address: optional(addressOn(chain, REFUND_ADDRESS)),
  ...NAME_FIELDS,
}));

/** The body of a refund. Errors: invalid_request, and unsupported_network for a chain that is none. */
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
