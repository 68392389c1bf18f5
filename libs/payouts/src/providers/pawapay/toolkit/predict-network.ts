import { z } from 'zod';

import type { NetworkAnswer } from '../../../payout-provider.js';
import type { ProviderReply } from '../../../provider-http.js';
import { PAWAPAY_NETWORKS } from '../networks.js';

/** [D] v2/api-reference/toolkit/predict-provider. */
const prediction = z.object({ country: z.string(), provider: z.string(), phoneNumber: z.string() });

export function predictionBody(phone: string): object {
  return { phoneNumber: phone.replace(/^\+/, '') };
}

/** The answer of POST /v2/predict-provider. */
export function readPrediction(reply: ProviderReply, phone: string, currency: string): NetworkAnswer {
  if (reply.kind === 'no_answer') return { outcome: 'failed', detail: reply.detail };
  if (reply.status !== 200) return { outcome: 'failed', detail: `HTTP ${reply.status}` };
  const { data } = prediction.safeParse(reply.body);
  if (data === undefined) return { outcome: 'failed', detail: 'an answer of another shape' };
  if (data.phoneNumber.replace(/^\+/, '') !== phone.replace(/^\+/, ''))
    return { outcome: 'failed', detail: 'the answer is about another number' };
  const network = PAWAPAY_NETWORKS.find((one) => one.provider === data.provider && one.currency === currency);
  return network === undefined ? { outcome: 'cannot_tell' } : { outcome: 'told', network: network.network };
}
