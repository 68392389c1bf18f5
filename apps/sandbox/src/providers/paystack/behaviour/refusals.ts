/** One answer that is no success. */
export interface Refusal {
  readonly http: number;
  readonly message: string;
  /** Undefined: the body has a message alone, as their samples of 404 have. */
  readonly type?: 'validation_error' | 'api_error' | 'processor_error';
  readonly code?: string;
  readonly nextStep?: string;
}

const validation = (http: number, code: string, message: string, nextStep?: string): Refusal => ({
  http,
  message,
  type: 'validation_error',
  code,
  ...(nextStep !== undefined && { nextStep }),
});
const api = (http: number, message: string, code = 'unknown'): Refusal => ({
  http,
  message,
  type: 'api_error',
  code,
});

/**
 * Messages are those of the public errors list (PaystackOSS/openapi errors/api-errors.json) [D]. Codes besides
 * invalid_transfer_recipient [D], duplicate_transfer_reference, invalid_Key, invalid_params and invalid_bank_code [I]
 * are not published [U].
 */
export const REFUSALS = {
  no_header: { http: 401, message: 'No Authorization Header was found' },
  wrong_format: { http: 401, message: 'Format is Authorization Bearer [secret key]' },
  wrong_key: validation(401, 'invalid_Key', 'Invalid key', 'Ensure that you provide the correct authorization key'),
  no_privilege: api(403, 'Error: You do not have privileges for this action. Kindly contact Admin.', 'access_denied'),
  deactivated: api(403, 'Integration has been deactivated'),
  starter_business: api(400, 'You cannot initiate third party payouts as a starter business'),
  no_route: { http: 404, message: 'Not found' },
  invalid_params: validation(400, 'invalid_params', 'Invalid entries found'),
  invalid_amount: validation(400, 'invalid_amount', 'Invalid amount passed.'),
  illegal_reference: validation(400, 'invalid_reference', 'Your reference contains illegal special characters'),
  duplicate: validation(
    400,
    'duplicate_transfer_reference',
    'Please provide a unique reference. Reference already exists on a transfer',
    'Create a new reference for the new transfer',
  ),
  invalid_recipient: validation(400, 'invalid_transfer_recipient', 'Recipient specified is invalid'),
  watchlist: api(400, "Sorry, we can't make the transfer to this recipient at the moment"),
  cannot_resolve: validation(400, 'invalid_account', 'Cannot resolve account'),
  no_balance: api(400, 'Your balance is not enough to fulfil this request', 'insufficient_balance'),
  /** The other spelling of the list, and a message alone. */
  no_balance_text: { http: 400, message: 'Your balance is not enough to fulfill this request' },
  otp_wrong: validation(400, 'invalid_otp', 'OTP is invalid'),
  not_in_otp: validation(400, 'invalid_params', 'Transfer is not currently awaiting OTP'),
  transfer_not_found: { http: 404, message: 'Transfer not found' },
  transfer_invalid: validation(404, 'transfer_not_found', 'Transfer ID/code specified is invalid.'),
  recipient_not_found: validation(404, 'recipient_not_found', 'Recipient code specified is invalid'),
  not_resolved: validation(
    422,
    'invalid_bank_code',
    'Could not resolve account name. Check parameters or try again.',
    "Ensure that you're passing the correct bank code",
  ),
  not_numeric: validation(400, 'invalid_params', 'Account number should be numeric'),
  from_date: validation(400, 'invalid_params', "Invalid 'from' date"),
  to_date: validation(400, 'invalid_params', "Invalid 'to' date"),
  too_many: { http: 429, message: 'Please wait a few minutes and try again.' },
  server_error: api(500, 'An error occurred'),
  /** No code of theirs. */
  something_new: validation(400, 'something_new', 'The simulator says something new'),
} as const satisfies Record<string, Refusal>;

export const unknownBank = (code: string): Refusal =>
  validation(400, 'invalid_params', `Unknown bank code: ${code}`, "Ensure that the value(s) you're passing are valid.");

/** As the sample of bulk transfers has it: HTTP 404, and no code of its own [D]. */
export const duplicate404 = (reference: string): Refusal => ({
  ...api(404, `Duplicate reference(s) found: ${reference}`),
  nextStep: 'Try again later',
});

/** What refuses a call that pays, by number: 0401 and on, in this order. */
export const CALL_REFUSALS = [
  'invalid_recipient',
  'watchlist',
  'cannot_resolve',
  'no_balance',
  'no_balance_text',
  'starter_business',
  'deactivated',
  'no_privilege',
  'illegal_reference',
  'invalid_amount',
  'invalid_params',
  'something_new',
] as const satisfies readonly (keyof typeof REFUSALS)[];

/** Words of a failure after acceptance: of the errors list, tag Transfer [D]; the last are not theirs. By number, 0501 and on. */
export const FAILURE_TEXTS = [
  'System Malfunction',
  'Account closed',
  'Account number is invalid',
  'Cannot resolve account',
  "Sorry, we can't make the transfer to this recipient at the moment",
  'Something new',
  '',
] as const;
export type FailureText = (typeof FAILURE_TEXTS)[number];
