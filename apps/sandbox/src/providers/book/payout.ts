import type { AcceptedLine } from './journal-line.js';
import { fromHundredths, hundredths, type PayoutRequest } from '../http/payout-request.js';
import { numberOf } from './recipient.js';
import type { ProfileId } from './provider-profile.js';
import { type Behaviour, behaviourOf, recipientName, type Step } from './sandbox-numbers.js';

export interface Payment {
  readonly receipt: string;
  reversed: boolean;
}

/** One acceptance and its progress. */
export interface Run {
  /** From 0. */
  readonly no: number;
  nextStep: number;
  /** Book time; Infinity: waits for release. */
  dueAtMs: number;
  /** Of its newest payment, or ''. */
  receipt: string;
}

export type PayoutStatus = 'PROCESSING' | 'PAID' | 'FAILED' | 'REVERSED';

export class Payout {
  readonly payments: Payment[] = [];
  /** '' unless FAILED. */
  failureCode = '';
  /** Unfinished ones. */
  runs: readonly Run[] = [];
  timesAccepted = 0;
  /** Journal line of the newest fact. */
  lastLine: number;

  private constructor(
    readonly request: PayoutRequest,
    readonly behaviour: Behaviour,
    readonly acceptedAtMs: number,
    readonly acceptedLine: number,
  ) {
    this.lastLine = acceptedLine;
  }

  static from(line: AcceptedLine, lineNumber: number, at: ProfileId): Payout {
    const { id, amount, currency, recipient, narration, order = '' } = line;
    const behaviour = behaviourOf(numberOf(recipient), at);
    return new Payout(
      { id, amount, currency, narration, recipient, order },
      behaviour,
      Date.parse(line.at),
      lineNumber,
    );
  }

  /** Only the first payment decides the status. */
  get status(): PayoutStatus {
    const [first] = this.payments;
    if (first !== undefined) return first.reversed ? 'REVERSED' : 'PAID';
    return this.failureCode === '' ? 'PROCESSING' : 'FAILED';
  }

  /** null: unknown. */
  get name(): string | null {
    return this.behaviour.nameless === true ? null : recipientName(numberOf(this.request.recipient));
  }

  /** May differ from the requested amount. */
  get bookedHundredths(): bigint {
    return hundredths(this.request.amount) + (this.behaviour.besideHundredths ?? 0n);
  }

  /** Keeps the request's spelling if equal. */
  get bookedAmount(): string {
    return this.behaviour.besideHundredths === undefined ? this.request.amount : fromHundredths(this.bookedHundredths);
  }

  stepOf(run: Run): Step | undefined {
    return this.behaviour.steps[run.nextStep];
  }

  /** The newest payment that was not reversed; with `receipt`: that one. */
  standing(receipt?: string): Payment | undefined {
    return this.payments.findLast((payment) => !payment.reversed && payment.receipt === (receipt ?? payment.receipt));
  }
}
