import { Inject, Injectable } from '@nestjs/common';
import { JobClock, type WakeReason } from '@vuka/jobs';
import { type Clock, type Logger, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { WakeGroup } from './wake-group.js';

/** Given by whoever commits partners' requests: this folder knows no other. */
export const PARTNER_TRAFFIC = Symbol('PARTNER_TRAFFIC');

export interface PartnerTraffic {
  readonly crowded: boolean;
}

/** Times closer together than this are one wake: the job clock's alarms are no finer. */
const SLOT_MS = 100;
/** Slots kept of one provider; beyond, the tick has to do. */
const MAX_SLOTS = 1_000;

/**
 * Says when the loops of payouts should look, and when they should hold back: at once within this process, at a time through the
 * job clock. It carries nothing. A claim that finds nothing is a query all the same, so that only the loop that may find something
 * is woken; once a second all of them are.
 */
@Injectable()
export class PayoutWake {
  readonly starts = new WakeSignal();
  readonly submits = new WakeGroup();
  readonly polls = new WakeGroup();
  readonly watches = new WakeGroup();
  /** A partner owes something, or may be able to give it. */
  readonly debts = new WakeSignal();
  readonly statements = new WakeGroup();
  /** A settlement that two people have agreed on may have no call to wait for any more. */
  readonly settlements = new WakeSignal();
  /** Open attempts and ended ones. */
  readonly checks = {
    notify: (): void => {
      this.polls.notify();
      this.watches.notify();
    },
  };
  /** When polls of each provider are due, in slots: all that were said and have not come, so that no alarm finds its time forgotten. */
  private readonly pollsDue = new Map<string, Set<number>>();

  constructor(
    private readonly jobs: JobClock,
    @Inject(PARTNER_TRAFFIC) private readonly traffic: PartnerTraffic,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Partners are waiting in crowds: due work should give way. */
  get crowded(): boolean {
    return this.traffic.crowded;
  }

  /** Registers the safety ticks; before the job clock starts. */
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

  /** A lost wake only costs the wait until the next tick. */
  pollAt(provider: string, at: Date): void {
    const slots = this.pollsDue.get(provider) ?? new Set();
    if (slots.size < MAX_SLOTS) this.pollsDue.set(provider, slots.add(Math.ceil(at.getTime() / SLOT_MS)));
    this.jobs.wakeAt('payments.poll-payouts', at).catch((error: unknown) => {
      this.log.warn({ code: 'wake_lost', err: error }, 'could not set the alarm for a poll; the next tick finds it');
    });
  }

  /** An alarm that is none of ours was asked for by another process of this service, for a provider that it did not tell. */
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
