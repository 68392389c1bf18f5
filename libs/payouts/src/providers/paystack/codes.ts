import type { FailureCode } from '@vuka/domain';

import { type CodeRow, rowOf } from '../../outcome-class.js';

/**
 * Paystack documents a few codes, and most refusals by their text alone. So a text counts where it stands in the documents, from its
 * first letter to its last. A text that is a little different proves nothing.
 */

/** [D] PaystackOSS/openapi, errors/api-errors.json: texts, meanings and what to do. */
const ERRORS = '[D] errors/api-errors.json';
const STATUSES = '[D] docs/transfers/how-transfers-work';

const config = (source: string): CodeRow => ({ cls: 'config', failure: 'rail_unavailable', routeLeft: true, source });
const float = (source: string): CodeRow => ({ cls: 'float', failure: 'rail_unavailable', routeLeft: true, source });
const open = (source: string): CodeRow => ({ cls: 'unknown', failure: 'rail_rejected', routeLeft: false, source });
const final = (failure: FailureCode, routeLeft: boolean, source: string): CodeRow => ({
  cls: 'final_failure',
  failure,
  routeLeft,
  source,
});

/** The code of a recipient is not known any more: `code`, or `message` without one. */
export const NO_RECIPIENT = { code: 'invalid_transfer_recipient', text: 'Recipient specified is invalid' } as const;

const NO_ACCOUNT = 'Cannot resolve account';
const NO_NAME = 'Could not resolve account name. Check parameters or try again.';
/** [D] "the bank code and account number don't match". */
export const NOBODY: readonly string[] = [NO_ACCOUNT, NO_NAME];

/** `code` of an error body with HTTP 4xx: why a call was turned down. */
export const BY_CODE = {
  // Of a code that was made just now. One that was kept is made again first.
  [NO_RECIPIENT.code]: config('[D] doc-code-snippets, transfers/initiate'),
  unknown: open('[D] doc-code-snippets, transfers/bulk: of a duplicate'),
} as const satisfies Record<string, CodeRow>;

/** `message` of the same. */
export const BY_TEXT = {
  'Your balance is not enough to fulfill this request': float(ERRORS),
  'Your balance is not enough to fulfil this request': float(ERRORS),
  [NO_RECIPIENT.text]: config(ERRORS),
  'You cannot initiate third party payouts as a starter business': config(ERRORS),
  'Your reference contains illegal special characters': config(ERRORS),
  'Invalid entries found': config(ERRORS),
  'Invalid key': config(ERRORS),
  'No Authorization Header was found': config(ERRORS),
  'Format is Authorization Bearer [secret key]': config(ERRORS),
  'Bank code is invalid': config(ERRORS),
  'Unknown bank code': config(ERRORS),
  'bank_code is required': config(ERRORS),
  'Account number is required': config(ERRORS),
  'Either authorization_code or account_number must be passed.': config(ERRORS),
  'Account number is invalid': final('recipient_invalid', false, ERRORS),
  'Bank is invalid': final('recipient_not_found', false, ERRORS),
  [NO_ACCOUNT]: final('recipient_not_found', false, ERRORS),
  [NO_NAME]: final('recipient_not_found', false, ERRORS),
  // On a watch list for fraud: nobody else should pay it then.
  "Sorry, we can't make the transfer to this recipient at the moment": final('recipient_rejected', false, ERRORS),
  // The bank's own words: nobody says at which moment they come.
  'Account closed': open(ERRORS),
  'System Malfunction': open(ERRORS),
} as const satisfies Record<string, CodeRow>;

/** `type` of the same, where neither code nor text is known. */
export const BY_TYPE = {
  validation_error: config('[D] doc-code-snippets: of what was wrong with the request'),
  api_error: open('[D] doc-code-snippets'),
} as const satisfies Record<string, CodeRow>;

/** [D] HTTP 401: the key is not known. */
export const UNAUTHORISED: CodeRow = config('[D] openapi, responses/unauthorized');

/** Beginnings of texts that say that the reference exists. The first is of the bulk call [D], of HTTP 404 with the code `unknown`. */
export const DUPLICATES: readonly string[] = ['Duplicate reference', 'Please provide a unique reference'];

/** `status` of a transfer that ended as not paid; all are conclusive [D]. */
export const ENDED = {
  // [D] "typically when the processor is down". No reason is told, and no other provider pays on that.
  failed: { cls: 'unspecified', failure: 'rail_rejected', routeLeft: false, source: STATUSES },
  // [D] nobody gave the one-time password within 30 minutes: a setting of our account.
  abandoned: config(STATUSES),
  // [D] the approval URL did not answer: a setting of our account.
  blocked: config(STATUSES),
  // [D] the approval URL refused: somebody of ours has stopped it.
  rejected: final('cancelled', false, STATUSES),
} as const satisfies Record<string, CodeRow>;

/** What the list of transfers says of a transfer by its status; undefined: it has not ended. */
export function endOf(status: string): 'paid' | 'not_paid' | 'reversed' | undefined {
  if (status === 'success') return 'paid';
  if (status === 'reversed') return 'reversed';
  return rowOf(ENDED, status) && 'not_paid';
}

/** `message` is read as a code: never kept, never logged. */
export interface Refusal {
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly message: string;
}

export interface NamedRow extends CodeRow {
  /** What is told to people: ours, not Paystack's text. */
  readonly name: string;
}

/** undefined: in no table. */
export function refusalRow(status: number, { code, type, message }: Refusal): NamedRow | undefined {
  if (status === 401) return { ...UNAUTHORISED, name: 'UNAUTHORISED' };
  const byText = rowOf(BY_TEXT, message.trim());
  if (byText !== undefined) return { ...byText, name: nameOf(message) };
  const byCode = rowOf(BY_CODE, code);
  if (byCode !== undefined) return { ...byCode, name: nameOf(code ?? '') };
  // Another word for a duplicate must not become "nothing was taken".
  if (/reference/i.test(message)) return undefined;
  const byType = rowOf(BY_TYPE, type);
  return byType && { ...byType, name: nameOf(type ?? '') };
}

/** Of a text or code that stands in a table, so that it names nobody. */
function nameOf(known: string): string {
  return known
    .toUpperCase()
    .replaceAll(/[^A-Z]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .slice(0, 40);
}
