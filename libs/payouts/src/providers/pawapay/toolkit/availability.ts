import { z } from 'zod';

import type { AvailabilityAnswer, CorridorAvailability } from '../../../payout-provider.js';
import type { ProviderReply } from '../../../provider-http.js';
import { PAWAPAY_NETWORKS } from '../networks.js';

/** [D] v2/api-reference/toolkit/availability. CLOSED: all requests are rejected. DELAYED: payouts are enqueued. */
const STATES: Readonly<Record<string, CorridorAvailability['state']>> = {
  OPERATIONAL: 'open',
  DELAYED: 'slow',
  CLOSED: 'closed',
};

const answer = z
  .array(
    z.object({
      country: z.string(),
      providers: z
        .array(
          z.object({
            provider: z.string(),
            operationTypes: z.array(z.object({ operationType: z.string(), status: z.string() })).max(20),
          }),
        )
        .max(100),
    }),
  )
  .max(300);

/** GET /v2/availability. A network of ours that it does not name is not told. `at`: when the answer had come. */
export function readAvailability(reply: ProviderReply, at: Date): AvailabilityAnswer {
  if (reply.kind === 'no_answer') return { outcome: 'failed', detail: reply.detail };
  if (reply.status !== 200) return { outcome: 'failed', detail: `HTTP ${reply.status}` };
  const { data } = answer.safeParse(reply.body);
  if (data === undefined) return { outcome: 'failed', detail: 'an answer of another shape' };
  const corridors = PAWAPAY_NETWORKS.flatMap(({ country, provider, currency, network }): CorridorAvailability[] => {
    const told = data.find((one) => one.country === country)?.providers.find((one) => one.provider === provider);
    const status = told?.operationTypes.find(({ operationType }) => operationType === 'PAYOUT')?.status;
    return status === undefined ? [] : [{ currency, kind: 'mobile', network, state: stateOf(status) }];
  });
  return { outcome: 'told', corridors, at };
}

/** A word that we do not know is no reason to stop paying. */
function stateOf(status: string): CorridorAvailability['state'] {
  return (Object.hasOwn(STATES, status) ? STATES[status] : undefined) ?? 'slow';
}
