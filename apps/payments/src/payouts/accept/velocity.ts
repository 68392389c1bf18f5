import { type acceptPayInput, decodeVelocityLimit } from '@vuka/contracts';
import {
  fail,
  formatMoney,
  velocityLimitsIn,
  velocityText,
  windowEnd,
  type Currencies,
  type Money,
  type Result,
  type VelocityLimit,
} from '@vuka/domain';
import type { z } from 'zod';

import type { VelocityCount } from '../../commit/index.js';

type Asked = Pick<z.output<typeof acceptPayInput>, 'currency' | 'key_id' | 'velocity_limits'>;

/** The partner's limits from the gateway, else the deployment's. `recipient`: keyed fingerprint. [] where none hold. */
export function velocityCounts(asked: Asked, recipient: string, currencies: Currencies): readonly VelocityCount[] {
  const { currency, key_id = '', velocity_limits: own } = asked;
  const limits = own?.map(decodeVelocityLimit) ?? velocityLimitsIn(currencies, currency);
  const subjects: Record<VelocityLimit['per'], string> = { partner: '', key: key_id, recipient };
  return limits.map((limit) => ({ limit, subject: subjects[limit.per] }));
}

/** Says when it opens again, unless the amount alone is above the limit. */
export function limitExceeded({ limit }: VelocityCount, amount: Money, now: Date): Result<never> {
  const most = velocityText(limit, amount.currency);
  const message =
    limit.maxMinor !== null && amount.minor > limit.maxMinor
      ? `${formatMoney(amount)} is more than the limit allows: ${most}`
      : `The limit is reached: ${most}. It counts from 0 again at ${windowEnd(limit.window, now).toISOString()}; nothing was recorded`;
  return fail({ code: 'limit_exceeded', message });
}
