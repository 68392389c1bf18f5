import type { AcceptedLine } from './journal-line.js';
import { fromHundredths, hundredths, type PayoutRequest } from '../http/payout-request.js';
import { numberOf } from './recipient.js';
import type { ProfileId } from './provider-profile.js';
import { type Behaviour, behaviourOf, recipientName, type Step } from './sandbox-numbers.js';

export interface Payment {
  readonly receipt: string;
  reversed: boolean;
}

/** One acceptance of a payout, and how far it has come in its steps. */
export interface Run {
  /** 0 for the first. */
  readonly no: number;
  nextStep: number;
  /** When the next step is due, on the book's own time; Infinity: when released. */
  dueAtMs: number;
  /** Of its newest payment; '' before. */
  receipt: string;
}

export type PayoutStatus = 'PROCESSING' | 'PAID' | 'FAILED' | 'REVERSED';

/** A payout under one id: what was asked for, what this provider does with it, and what has become of it. */
export class Payout {
  readonly payments: Payment[] = [];
  /** '' unless FAILED. */
  failureCode = '';
  /** Those with steps to come. */
  runs: readonly Run[] = [];
  timesAccepted = 0;
  /** The journal line of the newest fact. */
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

  /** The first payment is what the payout stands for; more of them change nothing about it. */
  get status(): PayoutStatus {
    const [first] = this.payments;
    if (first !== undefined) return first.reversed ? 'REVERSED' : 'PAID';
    return this.failureCode === '' ? 'PROCESSING' : 'FAILED';
  }

  /** null where it cannot be told. */
  get name(): string | null {
    return this.behaviour.nameless === true ? null : recipientName(numberOf(this.request.recipient));
  }

  /** What is paid each time: not always what was asked for. */
  get bookedHundredths(): bigint {
    return hundredths(this.request.amount) + (this.behaviour.besideHundredths ?? 0n);
  }

  /** The same as a decimal string, spelled as in the request where it is that. */
  get bookedAmount(): string {
    return this.behaviour.besideHundredths === undefined ? this.request.amount : fromHundredths(this.bookedHundredths);
  }

  stepOf(run: Run): Step | undefined {
    return this.behaviour.steps[run.nextStep];
  }

  /** The newest payment that did not come back; of this receipt alone, where one is given. */
  standing(receipt?: string): Payment | undefined {
    return this.payments.findLast((payment) => !payment.reversed && payment.receipt === (receipt ?? payment.receipt));
  }
}
