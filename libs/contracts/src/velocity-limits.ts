import type { VelocityLimit } from '@vuka/domain';
import { z } from 'zod';

import { minorUnits } from './deposit-facts.js';

const velocityLimit = z.object({
  per: z.enum(['partner', 'key', 'recipient']),
  window: z.enum(['hour', 'day']),
  /** null: any. */
  amount_minor: minorUnits.nullable(),
  count: z.int().min(1).nullable(),
});

export const velocityFields = {
  /** Visible prefix of the API key that asked. Absent: those without one count together. */
  key_id: z.string().min(1).max(100).optional(),
  /** Agreed with this partner. Absent: the deployment's own. */
  velocity_limits: z.array(velocityLimit).max(6).optional(),
};

type SentLimit = z.output<typeof velocityLimit>;

export function encodeVelocityLimit({ per, window, maxMinor, maxCount }: VelocityLimit): SentLimit {
  return { per, window, amount_minor: maxMinor === null ? null : maxMinor.toString(), count: maxCount };
}

export function decodeVelocityLimit({ per, window, amount_minor, count }: SentLimit): VelocityLimit {
  return { per, window, maxMinor: amount_minor === null ? null : BigInt(amount_minor), maxCount: count };
}
