import { Inject, Injectable } from '@nestjs/common';
import { routesFor, type PayoutProvider } from '@vuka/payouts';
import { PAYOUT_PROVIDERS } from '@vuka/service-host';

import type { AttemptEnd } from '../commit/index.js';
import { givenOf, type History, type TransactionSnapshot } from '../transactions/index.js';

@Injectable()
export class Routes {
  constructor(@Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[]) {}

  of({ destination, details }: TransactionSnapshot): PayoutProvider[] {
    const amount = givenOf(details);
    return routesFor(destination, amount, this.providers).filter(
      (provider) => provider.walletOf(destination, amount.currency) !== null,
    );
  }
}

/** Best first, without providers proven unable to pay it. Those with the fewest deferrals come first. */
export function routesLeft<T extends { readonly id: string }>(
  routes: readonly T[],
  { attempts }: Pick<History, 'attempts'>,
): T[] {
  const ended = attempts.filter(({ state }) => state === 'NOT_PAID');
  const refused = new Set(
    ended.filter(({ endedBy }) => !isPutOff(endedBy) && endedBy !== 'stopped').map(({ provider }) => provider),
  );
  const deferrals = (provider: string): number =>
    ended.filter((attempt) => attempt.provider === provider && isPutOff(attempt.endedBy)).length;
  return routes.filter(({ id }) => !refused.has(id)).sort((a, b) => deferrals(a.id) - deferrals(b.id));
}

/** True if a provider with fewer deferrals may be tried at once. */
export function hasUntriedRoute(
  routes: readonly { readonly id: string }[],
  history: Pick<History, 'attempts'>,
  deferredBy: { readonly attemptNo: number; readonly provider: string },
): boolean {
  const attempts = history.attempts.map((attempt) =>
    attempt.attemptNo === deferredBy.attemptNo
      ? { ...attempt, state: 'NOT_PAID' as const, endedBy: 'deferred' as const }
      : attempt,
  );
  const times = (provider: string): number =>
    attempts.filter((attempt) => attempt.provider === provider && isPutOff(attempt.endedBy)).length;
  const [best] = routesLeft(routes, { attempts });
  return best !== undefined && best.id !== deferredBy.provider && times(best.id) < times(deferredBy.provider);
}

/**
 * Since when our fault has kept it from being paid; null: it has not. A provider that takes such a payment and gives
 * it back again does not make the wait longer.
 */
export function waitingSince({ attempts }: Pick<History, 'attempts'>): Date | null {
  const others = attempts.findLastIndex(({ state, endedBy }) => state === 'NOT_PAID' && !isPutOff(endedBy));
  return attempts.slice(others + 1).find(({ endedBy }) => endedBy === 'our_fault')?.endedAt ?? null;
}

/** null: ended before `ended_by` was recorded. Then refusals ended the transaction, so this was a deferral. */
function isPutOff(endedBy: AttemptEnd | null): boolean {
  return endedBy === 'deferred' || endedBy === 'our_fault' || endedBy === null;
}
