import { z } from 'zod';

import { refuseSetting } from './refuse-setting.js';

/** Tokens per second, and the bucket size. */
export interface RequestRate {
  readonly ratePerS: number;
  readonly burst: number;
}

/** null = no limit. */
export interface RateLimitSettings {
  /** All keys of the partner together. */
  readonly partner: RequestRate | null;
  /** They do not count in `partner`. */
  readonly lookups: RequestRate | null;
  /** By one partner; they count in `lookups` too. */
  readonly destination: RequestRate | null;
  /** Per source address. */
  readonly failedAuth: RequestRate | null;
}

/** `<rate>/<burst>` or `off`. Defaults: decisions.md section 1. */
export const rateLimit = (variable: string, byDefault: string) =>
  z
    .string()
    .default(byDefault)
    .transform((text): RequestRate | null => {
      if (text === 'off') return null;
      const [, ratePerS = 0, burst = 0] = (/^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []).map(Number);
      if (ratePerS >= 1 && burst >= 1) return { ratePerS, burst };
      return refuseSetting(
        variable,
        `a rate per second and a burst, whole numbers from 1 to 9999999 (such as ${byDefault}), or off`,
      );
    });
