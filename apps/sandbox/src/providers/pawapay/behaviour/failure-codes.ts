/** HTTP status of each code that can answer a call (docs.pawapay.io/v2/docs/failure_codes [D]). */
export const SUBMIT_CODES = {
  NO_AUTHENTICATION: 401,
  /** The table of codes says 403, the API reference 401: both are seen. */
  AUTHENTICATION_ERROR: 403,
  AUTHORISATION_ERROR: 403,
  HTTP_SIGNATURE_ERROR: 403,
  PAYOUTS_NOT_ALLOWED: 403,
  INVALID_INPUT: 400,
  MISSING_PARAMETER: 400,
  UNSUPPORTED_PARAMETER: 400,
  INVALID_PARAMETER: 400,
  DUPLICATE_METADATA_FIELD: 400,
  AMOUNT_OUT_OF_BOUNDS: 200,
  INVALID_AMOUNT: 200,
  INVALID_PHONE_NUMBER: 200,
  INVALID_CURRENCY: 200,
  INVALID_PROVIDER: 200,
  PROVIDER_TEMPORARILY_UNAVAILABLE: 200,
  PAWAPAY_WALLET_OUT_OF_FUNDS: 200,
  /** Not one of theirs: a code that no table has. */
  SOMETHING_NEW: 200,
} as const;
export type SubmitCode = keyof typeof SUBMIT_CODES;

/** What a payout can end FAILED with [D]; the last is not one of theirs. */
export const FAILED_CODES = [
  'RECIPIENT_NOT_FOUND',
  'RECIPIENT_LIMIT_REACHED',
  'WALLET_LIMIT_REACHED',
  'MANUALLY_CANCELLED',
  'UNSPECIFIED_FAILURE',
  'UNKNOWN_ERROR',
  'PAWAPAY_WALLET_OUT_OF_FUNDS',
  'SOMETHING_NEW',
] as const;
export type FailedCode = (typeof FAILED_CODES)[number];

/** Codes of the other operations [D]; their statuses are those of an integrator's table [I]. */
export const OTHER_CODES = {
  NOT_FOUND: 200,
  INVALID_STATE: 200,
  INVALID_COUNTRY: 422,
  INVALID_CALLBACK_URL: 400,
  INVALID_DATE_RANGE: 400,
  WALLET_NOT_FOUND: 400,
  UNKNOWN_ERROR: 500,
} as const;
export type OtherCode = keyof typeof OTHER_CODES;

export interface FailureReason {
  readonly failureCode: string;
  readonly failureMessage: string;
}

/** pawaPay's messages are free text, so these are ours. */
export function failureReason(failureCode: string, failureMessage = messageOf(failureCode)): FailureReason {
  return { failureCode, failureMessage };
}

function messageOf(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return `The simulator says: ${words}.`;
}
