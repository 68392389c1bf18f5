/** The header `Error-Code` (decisions.md section 1), with HTTP status and constant title (RFC 9457 `title`). */
export const ERROR_CATALOGUE = {
  invalid_request: { status: 400, title: 'The request is malformed or breaks a rule' },
  amount_out_of_range: { status: 400, title: 'The amount is outside the limits' },
  unsupported_currency: { status: 400, title: 'The currency is not supported here' },
  unsupported_network: { status: 400, title: 'The network is not supported here' },
  unknown_bank: { status: 400, title: 'The bank is not known' },
  invalid_callback_url: { status: 400, title: 'The callback URL is not allowed' },
  unauthorized: { status: 401, title: 'The API key is not valid' },
  insufficient_balance: { status: 402, title: 'The wallet does not cover the amount and the service fee' },
  forbidden: { status: 403, title: 'This key may not do this' },
  limit_exceeded: { status: 403, title: 'A limit of this hour or day is reached' },
  not_found: { status: 404, title: 'Not found' },
  reference_reused: { status: 409, title: 'The reference belongs to another request' },
  hash_already_processed: { status: 409, title: 'The transaction hash has already been processed' },
  request_in_progress: { status: 409, title: 'The same request is still running' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key belongs to another payload' },
  quote_mismatch: { status: 409, title: 'The quote is for something else' },
  quote_used: { status: 409, title: 'The quote has been used' },
  rate_stale: { status: 503, title: 'No fresh rate is available' },
  rate_limited: { status: 429, title: 'Too many requests' },
  service_unavailable: { status: 503, title: 'A service is not available' },
  outcome_unknown: { status: 504, title: 'The outcome is not known yet' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export const ERROR_CODES = Object.keys(ERROR_CATALOGUE) as readonly ErrorCode[];
