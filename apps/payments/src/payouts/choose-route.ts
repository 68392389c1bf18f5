import { Inject, Injectable } from '@nestjs/common';
import { carriersOf, routedRecipient, type Carrier, type Coverage } from '@vuka/domain';
import type { PayoutProvider } from '@vuka/payouts';
import { COVERAGE, PAYOUT_PROVIDERS } from '@vuka/service-host';

import type { AttemptEnd } from '../commit/index.js';
import { OpenCorridors, paidBy } from '../corridors/index.js';
import { DestinationVault, givenOf, type History, type TransactionSnapshot } from '../transactions/index.js';

@Injectable()
export class Routes {
  constructor(
    @Inject(COVERAGE) private readonly coverage: Coverage,
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[],
    private readonly vault: DestinationVault,
    private readonly corridors: OpenCorridors,
  ) {}

  /** That carry it, first choice first. */
  of(snapshot: TransactionSnapshot): PayoutProvider[] {
    const { destination, details } = snapshot;
    const { currency } = givenOf(details);
    return this.carriers(snapshot)
      .flatMap(({ provider }) => this.providers.find(({ id }) => id === provider) ?? [])
      .filter((provider) => provider.walletOf(destination, currency) !== null);
  }

  /** Those of them that a new attempt may take now. */
  open(snapshot: TransactionSnapshot, routes = this.of(snapshot)): Promise<PayoutProvider[]> {
    return this.corridors.among(routes, paidBy(snapshot));
  }

  /** Those of them that another attempt may take at once. */
  async well(snapshot: TransactionSnapshot): Promise<PayoutProvider[]> {
    return this.corridors.wellAmong(await this.open(snapshot), paidBy(snapshot));
  }

  /** Of what is left and open; null: only providers that are ill, and others try them now. */
  choose(
    open: readonly PayoutProvider[],
    snapshot: TransactionSnapshot,
    history: Pick<History, 'attempts'>,
  ): Promise<PayoutProvider | null> {
    return this.corridors.choose(open, paidBy(snapshot), (provider) => deferralsOf(history, provider));
  }

  /** If all were switched on before the payment began to wait, nobody woke it. */
  async wakeIfOpened(snapshot: TransactionSnapshot): Promise<void> {
    const routes = this.of(snapshot);
    const open = await this.open(snapshot, routes);
    if (open.length === routes.length) await this.corridors.wake(snapshot.details.id);
  }

  private carriers({ destination, details }: TransactionSnapshot): readonly Carrier[] {
    const { kind, bankCode, mobileNetwork } = destination;
    const network = kind === 'mobile' ? mobileNetwork : null;
    const recipient = { kind, network, bankCode: kind === 'bank' ? bankCode : null, accountLength: null };
    const given = givenOf(details);
    const carriers = carriersOf(this.coverage, recipient, given);
    // Numbers are sealed, and few providers ask for their length.
    if (carriers.every(({ accountLength }) => accountLength === null)) return carriers;
    const opened = this.vault.open(details.id, given.currency, destination);
    return carriersOf(this.coverage, routedRecipient(opened), given);
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
  const deferrals = (provider: string): number => deferralsOf({ attempts }, provider);
  return routes.filter(({ id }) => !refused.has(id)).sort((a, b) => deferrals(a.id) - deferrals(b.id));
}

function deferralsOf({ attempts }: Pick<History, 'attempts'>, provider: string): number {
  return attempts.filter(
    (attempt) => attempt.state === 'NOT_PAID' && attempt.provider === provider && isPutOff(attempt.endedBy),
  ).length;
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
