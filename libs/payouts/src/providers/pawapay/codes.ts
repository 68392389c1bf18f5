import type { FailureCode } from '@vuka/domain';

import type { CodeRow } from '../../outcome-class.js';

/** [D] docs.pawapay.io/v2/docs/failure_codes, "Technical failure codes". */
const TECHNICAL = '[D] v2/docs/failure_codes, technical';
/** [D] the same page, of transactions that were accepted. Read in a stored copy of it by another integrator. */
const TRANSACTION = '[D] v2/docs/failure_codes, transaction';

const config: CodeRow = { cls: 'config', failure: 'rail_unavailable', routeLeft: true, source: TECHNICAL };
const final = (failure: FailureCode, routeLeft: boolean, source: string): CodeRow => ({
  cls: 'final_failure',
  failure,
  routeLeft,
  source,
});

/** Why a call was turned down: HTTP 401, 403 and 400 with an error body, or HTTP 200 with REJECTED. Nothing was taken. */
export const AT_THE_CALL = {
  NO_AUTHENTICATION: config,
  AUTHENTICATION_ERROR: config,
  AUTHORISATION_ERROR: config,
  HTTP_SIGNATURE_ERROR: config,
  PAYOUTS_NOT_ALLOWED: config,
  INVALID_INPUT: config,
  MISSING_PARAMETER: config,
  UNSUPPORTED_PARAMETER: config,
  INVALID_PARAMETER: config,
  DUPLICATE_METADATA_FIELD: config,
  INVALID_CURRENCY: config,
  // Our table chooses the provider; a recipient of another network is RECIPIENT_NOT_FOUND.
  INVALID_PROVIDER: config,
  AMOUNT_OUT_OF_BOUNDS: final('amount_not_accepted', true, TECHNICAL),
  INVALID_AMOUNT: final('amount_not_accepted', true, TECHNICAL),
  INVALID_PHONE_NUMBER: final('recipient_invalid', false, TECHNICAL),
  PROVIDER_TEMPORARILY_UNAVAILABLE: {
    cls: 'retry_later',
    failure: 'rail_unavailable',
    routeLeft: true,
    source: TECHNICAL,
  },
  PAWAPAY_WALLET_OUT_OF_FUNDS: { cls: 'float', failure: 'rail_unavailable', routeLeft: true, source: TECHNICAL },
  // Comes as HTTP 500, which is no answer; where it comes otherwise it means the same.
  UNKNOWN_ERROR: { cls: 'unknown', failure: 'rail_rejected', routeLeft: false, source: TECHNICAL },
} as const satisfies Record<string, CodeRow>;

/** Why a payout that was accepted is FAILED, which is final [D]. */
export const AFTER_ACCEPTANCE = {
  RECIPIENT_NOT_FOUND: final('recipient_not_found', false, TRANSACTION),
  RECIPIENT_LIMIT_REACHED: final('recipient_limit_reached', false, TRANSACTION),
  WALLET_LIMIT_REACHED: final('recipient_limit_reached', false, TRANSACTION),
  // A person has stopped it: no other provider is to pay it then.
  MANUALLY_CANCELLED: final('cancelled', false, '[D] v2/api-reference/payouts/cancel-enqueued-payout'),
  PAWAPAY_WALLET_OUT_OF_FUNDS: { cls: 'float', failure: 'rail_unavailable', routeLeft: true, source: TRANSACTION },
  UNSPECIFIED_FAILURE: { cls: 'unspecified', failure: 'rail_rejected', routeLeft: false, source: TRANSACTION },
  UNKNOWN_ERROR: { cls: 'unknown', failure: 'rail_rejected', routeLeft: false, source: TRANSACTION },
} as const satisfies Record<string, CodeRow>;
