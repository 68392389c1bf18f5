import { z } from 'zod';

import type { ResendAnswer } from '../../../payout-provider.js';
import type { ProviderReply } from '../../../provider-http.js';
import { providerCode } from '../../../provider-text.js';

const answer = z.object({
  payoutId: z.string(),
  status: z.string(),
  failureReason: z.object({ failureCode: z.string() }).nullish(),
});

/** The answer of POST /v2/payouts/resend-callback/{payoutId}. [D] refusals are NOT_FOUND and INVALID_STATE: it has no end yet. */
export function readResend(reply: ProviderReply, payoutId: string): ResendAnswer {
  if (reply.kind === 'no_answer') return { outcome: 'failed', detail: reply.detail };
  const { data } = answer.safeParse(reply.body);
  if (reply.status !== 200 || data === undefined || data.payoutId.toLowerCase() !== payoutId)
    return { outcome: 'failed', detail: `HTTP ${reply.status}, and no answer about our id` };
  if (data.status === 'ACCEPTED') return { outcome: 'resent' };
  return {
    outcome: 'refused',
    detail: `${providerCode(data.status)} ${providerCode(data.failureReason?.failureCode)}`,
  };
}
