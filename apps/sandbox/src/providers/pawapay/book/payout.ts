import { type Behaviour, isFinal, type PayoutState, type Step } from '../behaviour/behaviour.js';
import { behaviourOf } from '../behaviour/numbers.js';
import { hundredths } from '../data/amount.js';
import type { PayoutRequest } from './book-line.js';
import type { Wallet } from './wallets.js';

/** Money that went to the recipient. */
export interface Payment {
  readonly receipt: string;
  readonly atMs: number;
  /** It came back. */
  reversed: boolean;
}

const DELAYED: readonly Step[] = [
  { after: 0, to: 'ENQUEUED' },
  { after: 'released', to: 'PROCESSING' },
];

/** A payout under one id: what was asked for, what this number does with it, and what has become of it. */
export class Payout {
  readonly behaviour: Behaviour;
  readonly course: readonly Step[];
  readonly payments: Payment[] = [];
  readonly amount: bigint;
  state: PayoutState = 'ACCEPTED';
  /** '' unless FAILED. */
  failureCode = '';
  /** The principal is set aside. */
  isReserved = true;
  nextStep = 0;
  /** Infinity: nothing is to come, or not before it is released. */
  dueAtMs = Infinity;
  /** The journal line of the newest fact. */
  lastLine: number;

  constructor(
    readonly request: PayoutRequest,
    readonly wallet: Wallet,
    readonly acceptedAtMs: number,
    readonly acceptedLine: number,
    isDelayed: boolean,
  ) {
    this.behaviour = behaviourOf(request.phoneNumber);
    this.course = isDelayed ? [...DELAYED, ...this.behaviour.course] : this.behaviour.course;
    this.amount = hundredths(request.amount);
    this.lastLine = acceptedLine;
  }

  get step(): Step | undefined {
    return this.course[this.nextStep];
  }

  get isFinal(): boolean {
    return isFinal(this.state);
  }

  /** The newest payment that did not come back. */
  get standing(): Payment | undefined {
    return this.payments.findLast(({ reversed }) => !reversed);
  }
}
