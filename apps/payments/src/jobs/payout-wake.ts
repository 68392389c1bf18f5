import type { JobClock } from '@vuka/jobs';
import { WakeSignal, type Logger } from '@vuka/platform';

import { WakeGroup } from './wake-group.js';

/** Says when the loops of payouts should look, and when they should hold back: at once within this process, at a time through the job clock. It carries nothing. */
export class PayoutWake {
  readonly starts = new WakeSignal();
  readonly submits = new WakeGroup();
  /** For polls of open attempts and looks at ended ones. */
  readonly polls = new WakeGroup();
  /** A partner owes something, or may be able to give it. */
  readonly debts = new WakeSignal();
  readonly statements = new WakeGroup();

  constructor(
    private readonly jobs: JobClock,
    private readonly traffic: { readonly crowded: boolean },
    private readonly log: Logger,
  ) {}

  /** Partners are waiting in crowds: due work should give way. */
  get crowded(): boolean {
    return this.traffic.crowded;
  }

  /** Registers the safety ticks; before the job clock starts. */
  register(): void {
    this.jobs.every('payments.start-payouts', () => { this.starts.notify(); });
    this.jobs.every('payments.submit-payouts', () => { this.submits.notify(); });
    this.jobs.every('payments.poll-payouts', () => { this.polls.notify(); });
    this.jobs.every('payments.collect-receivables', () => { this.debts.notify(); });
    this.jobs.every('payments.read-statements', () => { this.statements.notify(); });
  }

  /** A lost wake only costs the wait until the next tick. */
  pollAt(at: Date): void {
    this.jobs.wakeAt('payments.poll-payouts', at).catch((error: unknown) => {
      this.log.warn({ code: 'wake_lost', err: error }, 'could not set the alarm for a poll; the next tick finds it');
    });
  }
}
