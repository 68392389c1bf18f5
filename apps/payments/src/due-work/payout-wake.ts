import { Inject, Injectable } from '@nestjs/common';
import { JobClock, type WakeReason } from '@vuka/jobs';
import { type Clock, type Logger, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { WakeGroup } from './wake-group.js';

export const PARTNER_TRAFFIC = Symbol('PARTNER_TRAFFIC');

export interface PartnerTraffic {
  readonly crowded: boolean;
}

/** Times closer than this are one wake; alarms are no finer. */
const SLOT_MS = 100;
/** Per provider; beyond that the tick finds them. */
const MAX_SLOTS = 1_000;

/**
 * Wakes loops in this process at once, and later through the job clock. An empty claim still costs a query, so
 * only the loop concerned is woken; once a second all are.
 */
@Injectable()
export class PayoutWake {
  readonly starts = new WakeSignal();
  readonly submits = new WakeGroup();
  readonly polls = new WakeGroup();
  readonly watches = new WakeGroup();
  /** A debt is new, or can perhaps be collected. */
  readonly debts = new WakeSignal();
  readonly statements = new WakeGroup();
  readonly settlements = new WakeSignal();
  readonly checks = {
    notify: (): void => {
      this.polls.notify();
      this.watches.notify();
    },
  };
  /** Due times not reached yet, in slots. */
  private readonly pollsDue = new Map<string, Set<number>>();

  constructor(
    private readonly jobs: JobClock,
    @Inject(PARTNER_TRAFFIC) private readonly traffic: PartnerTraffic,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  get crowded(): boolean {
    return this.traffic.crowded;
  }

  /** Before the job clock starts. */
  register(): void {
    this.jobs.every('payments.start-payouts', () => {
      this.starts.notify();
    });
    this.jobs.every('payments.submit-payouts', () => {
      this.submits.notify();
      this.checks.notify();
    });
    this.jobs.every('payments.poll-payouts', (reason) => {
      this.wakeDuePolls(reason);
    });
    this.jobs.every('payments.collect-receivables', () => {
      this.debts.notify();
    });
    this.jobs.every('payments.read-statements', () => {
      this.statements.notify();
    });
    this.jobs.every('payments.execute-settlements', () => {
      this.settlements.notify();
    });
  }

  /** A lost wake only waits for the next tick. */
  pollAt(provider: string, at: Date): void {
    const slots = this.pollsDue.get(provider) ?? new Set();
    if (slots.size < MAX_SLOTS) this.pollsDue.set(provider, slots.add(Math.ceil(at.getTime() / SLOT_MS)));
    this.jobs.wakeAt('payments.poll-payouts', at).catch((error: unknown) => {
      this.log.warn(
        { code: 'wake_lost', err: error },
        'the wake for a poll could not be set; the next tick finds the poll',
      );
    });
  }

  /** Another process set an alarm without a provider known here. */
  private wakeDuePolls(reason: WakeReason): void {
    const providers = this.takeDueProviders();
    for (const provider of providers) this.polls.notify(provider);
    if (reason === 'alarm' && providers.length === 0) this.polls.notify();
  }

  private takeDueProviders(): string[] {
    const now = this.clock.now().getTime() / SLOT_MS;
    const providers: string[] = [];
    for (const [provider, slots] of this.pollsDue) {
      const due = [...slots].filter((slot) => slot <= now);
      for (const slot of due) slots.delete(slot);
      if (due.length > 0) providers.push(provider);
    }
    return providers;
  }
}
