import { Inject, Injectable } from '@nestjs/common';
import type { RateLimitSettings, RequestRate } from '@vuka/config';
import { type RatePolicy, type Taken, TokenBuckets } from '@vuka/http';
import { SETTINGS } from '@vuka/service-host';

import type { Operation } from '../operations/index.js';
import { sourceOf } from './rate-limits-source.js';

/** A request that was counted: among which, and what its bucket said. */
export interface Counted {
  readonly policy: RatePolicy;
  readonly taken: Taken;
}

/** The limits counted here; the one per destination is counted where lookups are answered, and told by the Problem that refuses. */
export type GatewayRates = Omit<RateLimitSettings, 'destination'>;

/** The names partners see in `RateLimit` and `RateLimit-Policy`. */
export const POLICY_NAMES = {
  partner: 'partner',
  lookups: 'lookups',
  failedAuth: 'failed-auth',
  payPage: 'pay-page',
} as const satisfies Record<keyof GatewayRates | 'payPage', string>;

/** First looks at payment pages, by address. No setting: it takes a crowd of payers behind one address, and nobody finds a token by trying. */
const PAGE_LOOKS: RatePolicy = { name: POLICY_NAMES.payPage, ratePerS: 50, burst: 500 };

/**
 * How often the gateway answers (decisions.md section 1). Each request of a partner counts among its lookups of names or
 * among all others, whichever of its keys it shows. One whose key does not open counts for the address it came from: an
 * address can be shared, so what fails there never stands in the way of a key that opens.
 *
 * Operations that take no key are not counted. A probe of /health that is refused takes a healthy process out of service,
 * and the rest is the same prepared text for everybody, cheaper to give than to refuse.
 */
@Injectable()
export class RateLimits {
  private readonly partner: RatePolicy | null;
  private readonly lookups: RatePolicy | null;
  private readonly failedAuth: RatePolicy | null;

  constructor(
    @Inject(SETTINGS) { rateLimits: rates }: { readonly rateLimits: GatewayRates },
    private readonly buckets: TokenBuckets,
  ) {
    this.partner = policyOf(POLICY_NAMES.partner, rates.partner);
    this.lookups = policyOf(POLICY_NAMES.lookups, rates.lookups);
    this.failedAuth = policyOf(POLICY_NAMES.failedAuth, rates.failedAuth);
  }

  /** Counts a request of a partner; null where there is no limit. */
  countRequest(partnerId: number, operation: Operation): Promise<Counted | null> {
    return this.count(String(partnerId), operation.limit === 'lookups' ? this.lookups : this.partner);
  }

  /** Counts a request whose key does not open; null where there is no limit. */
  countFailedKey(address: string | undefined): Promise<Counted | null> {
    return this.count(sourceOf(address), this.failedAuth);
  }

  /** Counts a look at a payment page whose token has not opened here yet. */
  countPageLook(address: string | undefined): Promise<Counted | null> {
    return this.count(sourceOf(address), PAGE_LOOKS);
  }

  private async count(key: string, policy: RatePolicy | null): Promise<Counted | null> {
    return policy === null ? null : { policy, taken: await this.buckets.take(key, policy) };
  }
}

function policyOf(name: string, rate: RequestRate | null): RatePolicy | null {
  return rate === null ? null : { name, ...rate };
}
