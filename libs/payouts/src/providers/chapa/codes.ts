import type { FailureCode } from '@vuka/domain';

import type { CodeRow, OutcomeClass } from '../../outcome-class.js';

/**
 * Chapa has no codes, but texts, which its documents list with their HTTP status. So a text is the code here: the smallest beginning
 * of it that tells it from the others, and only under its own HTTP status and `"status": "failed"`. Any other text proves nothing.
 */

export interface TextRow extends CodeRow {
  readonly httpStatus: number;
  /** In small letters, with plain apostrophes. */
  readonly starts: string;
}

const CALL = '[D] developer.chapa.co/integrations/responses, Transfer Initialize Endpoint';

const config = (httpStatus: number, starts: string): TextRow => ({
  cls: 'config',
  failure: 'rail_unavailable',
  routeLeft: true,
  httpStatus,
  starts,
  source: CALL,
});

/** Why a transfer was turned down at once. Nothing was taken. Our names, by which logs and people know them. */
export const AT_THE_CALL = {
  AUTHORIZATION_REQUIRED: config(401, 'authorization required'),
  INVALID_API_KEY: config(401, 'invalid api key'),
  // Its message is `{"amount": ["validation.required"]}`: a fault of the adapter.
  ATTRIBUTE_MISSING: config(400, 'validation.required'),
  BANK_CODE_INCORRECT: config(401, 'the bank code is incorrect'),
  BANK_NOT_SUPPORTED: config(400, 'this bank is no longer supported'),
  SUBACCOUNT_NOT_OURS: config(400, "the subaccount id you provided isn't associated"),
  INVALID_CURRENCY: config(400, 'invalid currency'),
  USER_CANNOT_RECEIVE: config(400, "user can't receive payments"),
  // Their words end with "please contact us", so people have to.
  TRANSFERS_NOT_AVAILABLE: config(404, "transfer api isn't available now"),
  OUTSIDE_TRANSFER_HOURS: {
    cls: 'retry_later',
    failure: 'rail_unavailable',
    routeLeft: true,
    httpStatus: 401,
    starts: 'our transfer hours are',
    source: CALL,
    isPlanned: true,
  },
  INSUFFICIENT_BALANCE: {
    cls: 'float',
    failure: 'rail_unavailable',
    routeLeft: true,
    httpStatus: 400,
    starts: 'insufficient balance',
    source: CALL,
  },
  ACCOUNT_NUMBER_INVALID: {
    cls: 'final_failure',
    failure: 'recipient_invalid',
    routeLeft: false,
    httpStatus: 400,
    starts: 'the account number is not valid for',
    source: CALL,
  },
} as const satisfies Record<string, TextRow>;

/** Chapa has our reference. It is printed with two T. */
export const DUPLICATE = {
  httpStatus: 400,
  starts: ['tthe reference number has been used before', 'the reference number has been used before'],
  source: CALL,
} as const;

/** [U] the documents have it for payments, with 404, and not for transfers. It proves nothing (notFoundProvesAfterMs). */
export const NOT_FOUND = {
  httpStatuses: [404, 400],
  starts: [
    'invalid transaction or transaction not found',
    'invalid transfer or transfer not found',
    'transaction not found',
    'transfer not found',
  ],
  source: '[U] developer.chapa.co/integrations/responses, Transaction Verify Endpoint',
} as const;

const WEBHOOK = '[D] developer.chapa.co/integrations/webhooks, Transfer Events';

type EndRow = { readonly source: string } & ({ readonly end: 'paid' } | ({ readonly end: 'not_paid' } & CodeRow));
type NamedEnd = EndRow & { readonly name: string };

const notPaid = (cls: OutcomeClass, failure: FailureCode, source: string): EndRow => ({
  end: 'not_paid',
  cls,
  failure,
  // No reason is told, so nobody knows that it stays so: no other provider pays it.
  routeLeft: false,
  source,
});

/** How a transfer that was taken has ended. A status that is not here is pending. */
export const ENDS = {
  success: { end: 'paid', source: WEBHOOK },
  failed: notPaid('unspecified', 'rail_rejected', '[D] developer.chapa.co/integrations/responses, payment status'),
  // Printed so.
  'failed/cancelled': notPaid('unspecified', 'rail_rejected', WEBHOOK),
  cancelled: notPaid('final_failure', 'cancelled', WEBHOOK),
  /**
   * [D] what a transfer is when our approval URL has answered 400. [U] whether a transfer that came back is called the same. In both
   * the recipient has nothing. We may have refused for a fault of ours (another secret), and yet no other provider pays it: an
   * approval that Chapa repeats is refused once the attempt has ended, but one that was given before may still be under way.
   */
  reverted: notPaid('unspecified', 'rail_rejected', '[D] developer.chapa.co/chapa-merchant-handbook, URL Approval'),
} as const satisfies Record<string, EndRow>;

/** undefined: in no table, so pending. */
export function endOf(status: string): NamedEnd | undefined {
  const name = status.trim().toLowerCase();
  return Object.hasOwn(ENDS, name) ? { name, ...ENDS[name as keyof typeof ENDS] } : undefined;
}

export interface FailedReply {
  readonly httpStatus: number;
  readonly message: unknown;
}

/** null: in no table. */
export function refusalOf({ httpStatus, message }: FailedReply): { name: string; row: TextRow } | null {
  const text = plain(message);
  const found = Object.entries<TextRow>(AT_THE_CALL).find(
    ([, row]) => row.httpStatus === httpStatus && text.startsWith(row.starts),
  );
  return found === undefined ? null : { name: found[0], row: found[1] };
}

export function isDuplicate({ httpStatus, message }: FailedReply): boolean {
  return httpStatus === DUPLICATE.httpStatus && DUPLICATE.starts.some((start) => plain(message).startsWith(start));
}

export function isNotFound({ httpStatus, message }: FailedReply): boolean {
  const { httpStatuses } = NOT_FOUND;
  return (
    httpStatuses.some((status) => status === httpStatus) &&
    NOT_FOUND.starts.some((start) => plain(message).startsWith(start))
  );
}

/** In the form of the tables. Of texts by attribute: the one that all of them have. '': none. */
function plain(message: unknown): string {
  if (typeof message === 'object' && message !== null) {
    const [text, ...others] = new Set<unknown>(Object.values(message).flat());
    return others.length === 0 && typeof text === 'string' ? plain(text) : '';
  }
  return typeof message === 'string'
    ? message.replaceAll(/[‘’]/g, "'").replaceAll(/\s+/g, ' ').trim().toLowerCase()
    : '';
}
