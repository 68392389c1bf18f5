import { Inject, Injectable } from '@nestjs/common';
import { routesFor, type PayoutProvider } from '@vuka/payouts';
import { PAYOUT_PROVIDERS } from '@vuka/service-host';

import type { AttemptEnd } from '../commit/index.js';
import { givenOf, type History, type TransactionSnapshot } from '../transactions/index.js';

/** The providers of this deployment that pay a transaction, best first. */
@Injectable()
export class Routes {
  constructor(@Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[]) {}

  of({ destination, details }: TransactionSnapshot): PayoutProvider[] {
    return routesFor(destination, givenOf(details), this.providers);
  }
}

/**
 * The providers that may still be tried for a transaction, best first: not those that were proven unable to pay it, and those that
 * put it off least often before others.
 */
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

/** True where a provider is left that has put the transaction off less often than this one: it may be tried at once. */
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

/** null: it ended before its end was kept, when a refusal ended its transaction too. One that goes on was put off. */
function isPutOff(endedBy: AttemptEnd | null): boolean {
  return endedBy === 'deferred' || endedBy === null;
}
