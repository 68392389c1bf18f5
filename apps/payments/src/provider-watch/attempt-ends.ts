import { Inject, Injectable } from '@nestjs/common';
import { type PayoutProvider, type ProviderAnswer, USUAL_PACE_MS } from '@vuka/payouts';
import { type Clock, type CounterMetric, type HistogramMetric, type Logger, Metrics } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import type { AttemptEnd } from '../commit/index.js';
import { CorridorHealth, paidBy } from '../corridors/index.js';
import type { ClaimedAttempt } from '../transactions/index.js';
import { CORRIDOR_LABELS, corridorOf, type PaidCorridor } from './corridor.js';
import { type CorridorEnds, RecentEnds, WINDOW_MS } from './recent-ends.js';

/** Fewer say nothing. */
const LEAST_ENDED = 10;
const LEAST_SHARE = 0.8;
const SAID_EVERY_MS = 60_000;

/** It took the payout and gave it up, or would not take any. */
const PROVIDER_FAULTS: ReadonlySet<string> = new Set(['rail_unavailable', 'rail_rejected', 'expired_at_rail']);

const END_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];

type CorridorLabel = (typeof CORRIDOR_LABELS)[number];

/** What of an answer that ended an attempt is counted. */
export type EndingAnswer = ProviderAnswer | { readonly outcome: 'succeeded' };

/**
 * Counts attempts that a provider ended, by corridor. Judges each corridor at most once a minute, by what this process
 * has seen within the hour.
 */
@Injectable()
export class AttemptEnds {
  private readonly ends: CounterMetric<CorridorLabel | 'outcome' | 'reason'>;
  private readonly seconds: HistogramMetric<CorridorLabel | 'outcome'>;
  private readonly recent = new RecentEnds();
  /** By alarm, provider and currency. */
  private readonly saidAt = new Map<string, number>();
  private readonly usualMs: ReadonlyMap<string, number>;

  constructor(
    metrics: Metrics,
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly health: CorridorHealth,
  ) {
    this.usualMs = new Map(
      providers.map((provider) => [provider.id, provider.capabilities.usualPaceMs ?? USUAL_PACE_MS]),
    );
    this.ends = metrics.counter(
      'vuka_payments_ended_attempts_total',
      'Attempts that a provider ended, by how, and by failure code or why it was put off',
      [...CORRIDOR_LABELS, 'outcome', 'reason'],
    );
    this.seconds = metrics.histogram(
      'vuka_payments_attempt_seconds',
      'From the first call of an attempt to its end; without those that were put off',
      [...CORRIDOR_LABELS, 'outcome'],
      { buckets: END_SECONDS },
    );
  }

  /** Once for each attempt, after the commit. */
  ended(attempt: ClaimedAttempt, endedBy: AttemptEnd, answer: EndingAnswer): void {
    const { transaction, provider, firstSentAt } = attempt;
    const corridor = corridorOf(provider, transaction);
    const now = this.clock.now();
    this.ends.add({ ...corridor, outcome: endedBy, reason: reasonOf(answer) });
    const tookMs = endedBy === 'deferred' ? null : Math.max(0, now.getTime() - firstSentAt.getTime());
    if (tookMs !== null) this.seconds.observe({ ...corridor, outcome: endedBy }, tookMs / 1_000);
    this.sayFault(corridor, answer);
    // One that was not answered counts once, when it was not.
    const isWell = attempt.was === 'UNKNOWN' ? null : tellsWell(answer);
    if (isWell !== null) this.note(attempt, isWell);
    const seen = this.recent.add(corridor, { at: now, isPaid: isPaid(endedBy, answer), tookMs });
    if (seen !== null) this.sayHealth(corridor, seen);
  }

  /** Its first call got no answer that says anything. */
  unanswered(attempt: ClaimedAttempt): void {
    this.note(attempt, false);
  }

  private note({ transaction, provider, firstSentAt }: ClaimedAttempt, isWell: boolean): void {
    this.health.note({ provider, ...paidBy(transaction), isWell, sentAt: firstSentAt });
  }

  /** A payout waits at the provider for a person of ours. */
  waits({ transaction, provider, providerReference }: ClaimedAttempt, detail: string): void {
    const { currency } = corridorOf(provider, transaction);
    if (!this.mayBeSaid(`waits ${provider} ${currency}`)) return;
    this.log.error(
      { code: 'payout_waits_for_us', provider, currency, attempt_id: providerReference, detail },
      'a provider holds a payout until a person of ours acts there',
    );
  }

  /** What we alone can put right, at once. */
  private sayFault({ provider, currency }: PaidCorridor, answer: EndingAnswer): void {
    const fault = faultOf(answer);
    if (fault === null || !this.mayBeSaid(`${fault.reason} ${provider} ${currency}`)) return;
    const { reason, detail } = fault;
    if (reason === 'config')
      this.log.error(
        { code: 'provider_config_refused', provider, currency, detail },
        'a provider turns us down for a fault of ours: credential, permission or request',
      );
    else
      this.log.error(
        { code: 'float_empty', provider, currency, detail },
        'a provider has too little float of ours for a payout',
      );
  }

  private sayHealth(corridor: PaidCorridor, { ended, paid, timed, p95Ms }: CorridorEnds): void {
    const minutes = WINDOW_MS / 60_000;
    if (ended >= LEAST_ENDED && paid < ended * LEAST_SHARE)
      this.log.error(
        { code: 'corridor_success_low', ...corridor, paid, ended, within_minutes: minutes },
        'a provider pays too few of the payouts of a corridor',
      );
    const usualMs = this.usualMs.get(corridor.provider) ?? Infinity;
    if (timed >= LEAST_ENDED && p95Ms > usualMs)
      this.log.error(
        {
          code: 'corridor_slow',
          ...corridor,
          ended: timed,
          p95_seconds: Math.round(p95Ms / 1_000),
          usual_seconds: Math.round(usualMs / 1_000),
          within_minutes: minutes,
        },
        'a provider takes longer than usual for the payouts of a corridor',
      );
  }

  private mayBeSaid(what: string): boolean {
    const now = this.clock.now().getTime();
    if (now - (this.saidAt.get(what) ?? -Infinity) < SAID_EVERY_MS) return false;
    this.saidAt.set(what, now);
    return true;
  }
}

/** How the provider does; null: it says nothing of that. A recipient that cannot be paid was looked at. */
export function tellsWell(answer: EndingAnswer): boolean | null {
  if (answer.outcome === 'succeeded') return true;
  if (isOutOfHours(answer)) return null;
  if (answer.outcome === 'deferred')
    return answer.reason === 'unreachable' || answer.reason === 'corridor_off' ? false : null;
  if (answer.outcome !== 'not_paid' || answer.ourFault !== undefined) return null;
  if (answer.code.startsWith('recipient_')) return true;
  return PROVIDER_FAULTS.has(answer.code) ? false : null;
}

function reasonOf(answer: EndingAnswer): string {
  if (answer.outcome === 'not_paid') return answer.code;
  return answer.outcome === 'deferred' ? answer.reason : 'none';
}

function faultOf(answer: EndingAnswer): { readonly reason: 'config' | 'float'; readonly detail: string } | null {
  const reason =
    answer.outcome === 'deferred' ? answer.reason : answer.outcome === 'not_paid' ? answer.ourFault : undefined;
  const isOurs = reason === 'config' || reason === 'float';
  return isOurs && 'detail' in answer ? { reason, detail: answer.detail } : null;
}

function isOutOfHours(answer: EndingAnswer): boolean {
  return answer.outcome === 'deferred' && answer.isPlanned === true;
}

/** A recipient's fault, a person's word, or the provider's hours say nothing of the corridor. */
function isPaid(endedBy: AttemptEnd, answer: EndingAnswer): boolean | null {
  if (endedBy === 'succeeded') return true;
  const isOthers =
    answer.outcome === 'not_paid' && (answer.code.startsWith('recipient_') || answer.code === 'cancelled');
  return isOthers || isOutOfHours(answer) ? null : false;
}
