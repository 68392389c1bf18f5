import { Inject, Injectable } from '@nestjs/common';
import type { RateLimitSettings, RequestRate } from '@vuka/config';
import { type RatePolicy, type Taken, TokenBuckets } from '@vuka/http';
import { SETTINGS } from '@vuka/service-host';

import type { Operation } from '../operations/index.js';
import { sourceOf } from './rate-limits-source.js';

export interface Counted {
  readonly policy: RatePolicy;
  readonly taken: Taken;
}

/** Destinations are limited in the validation service, by its own Problem. */
export type GatewayRates = Omit<RateLimitSettings, 'destination'>;

export const POLICY_NAMES = {
  partner: 'partner',
  lookups: 'lookups',
  failedAuth: 'failed-auth',
  payPage: 'pay-page',
  callbacks: 'callbacks',
} as const satisfies Record<keyof GatewayRates | 'payPage' | 'callbacks', string>;

/** By address. High enough for many payers behind one address; tokens cannot be guessed. */
const PAGE_LOOKS: RatePolicy = { name: POLICY_NAMES.payPage, ratePerS: 50, burst: 500 };

/** By path that payments knows, else by address. A provider calls once to thrice for each payout. */
const CALLBACKS: RatePolicy = { name: POLICY_NAMES.callbacks, ratePerS: 200, burst: 2_000 };

/**
 * decisions.md section 1. A partner's requests count together for all its keys: name lookups, or all others. A
 * request with an invalid key counts for its address, and never blocks a valid key there. Operations without a key do
 * not count: a refused /health probe would take a healthy process out of service, and the rest is static text.
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

  /** null: no limit. */
  countRequest(partnerId: number, operation: Operation): Promise<Counted | null> {
    return this.count(String(partnerId), operation.limit === 'lookups' ? this.lookups : this.partner);
  }

  async countFailedKey(address: string | undefined): Promise<Counted | null> {
    const policy = this.failedAuth;
    return policy && { policy, taken: await this.buckets.takeInFlood(sourceOf(address), policy) };
  }

  /** The key opened after all. */
  async forgiveKey(address: string | undefined): Promise<void> {
    if (this.failedAuth !== null) await this.buckets.giveBack(sourceOf(address), this.failedAuth);
  }

  /** For tokens that have not opened a page here yet. */
  countPageLook(address: string | undefined): Promise<Counted | null> {
    return this.count(sourceOf(address), PAGE_LOOKS);
  }

  /** `path`: names a path that payments knows; null: for the address. */
  countCallback(path: string | null, address: string | undefined): Promise<Counted | null> {
    return this.count(path ?? sourceOf(address), CALLBACKS);
  }

  private async count(key: string, policy: RatePolicy | null): Promise<Counted | null> {
    return policy === null ? null : { policy, taken: await this.buckets.take(key, policy) };
  }
}

function policyOf(name: string, rate: RequestRate | null): RatePolicy | null {
  return rate === null ? null : { name, ...rate };
}
