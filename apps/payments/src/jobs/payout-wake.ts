import type { JobClock } from '@vuka/jobs';
import { WakeSignal, type Logger } from '@vuka/platform';

/** Says when the loops of payouts should look, and when they should hold back: at once within this process, at a time through the job clock. It carries nothing. */
export class PayoutWake {
  readonly starts = new WakeSignal();
  readonly submits = new WakeSignal();
  readonly polls = new WakeSignal();

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
  }

  /** A lost wake only costs the wait until the next tick. */
  pollAt(at: Date): void {
    this.jobs.wakeAt('payments.poll-payouts', at).catch((error: unknown) => {
      this.log.warn({ code: 'wake_lost', err: error }, 'could not set the alarm for a poll; the next tick finds it');
    });
  }
}
