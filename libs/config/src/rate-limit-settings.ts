import { z } from 'zod';

import { refuseSetting } from './refuse-setting.js';

/** So many tokens a second, and so many at once. */
export interface RequestRate {
  readonly ratePerS: number;
  readonly burst: number;
}

/** How often partners are answered; null = as often as they ask. */
export interface RateLimitSettings {
  /** Requests of one partner, all its keys together. */
  readonly partner: RequestRate | null;
  /** Those of them that look up a name, which count here and not among the others. */
  readonly lookups: RequestRate | null;
  /** Lookups of one destination by one partner, each of which counts among its lookups besides. */
  readonly destination: RequestRate | null;
  /** Requests from one address whose API key does not open. */
  readonly failedAuth: RequestRate | null;
}

/** `<rate>/<burst>` or `off`: decisions.md section 1 has the defaults. */
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
