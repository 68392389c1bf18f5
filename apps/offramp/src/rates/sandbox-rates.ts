import { ACCEPTED_SYMBOLS, CURRENCIES, type Currency } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';

import type { RateSource } from './rate-source.js';

export function sandboxRates(clock: Clock): RateSource {
  const mids = new Map(Object.values<Currency>(CURRENCIES).map(({ code, sandboxRate }) => [code, sandboxRate]));
  const pegs = new Map(ACCEPTED_SYMBOLS.map((symbol) => [symbol, '1']));
  return { read: async () => ({ at: clock.now(), mids, pegs }), close: async () => undefined };
}
