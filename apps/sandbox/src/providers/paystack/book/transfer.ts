import { receiptOf } from '../../book/receipt.js';
import { type Behaviour, isConclusive, type Step, type TransferStatus } from '../behaviour/behaviour.js';
import { behaviourOf } from '../behaviour/numbers.js';
import type { Balance } from './balances.js';
import type { TransferRequest } from './book-line.js';
import type { Recipient } from './recipients.js';

/** Money that went to the recipient. */
export interface Payment {
  /** The session where the currency has one, else the transfer's code. */
  readonly receipt: string;
  readonly atMs: number;
  /** It came back. */
  reversed: boolean;
}

/** Without an OTP it is abandoned after half an hour [D]. */
const ABANDON: Step = { after: 30 * 60 * 1_000, to: 'abandoned' };

export interface Accepted {
  readonly request: TransferRequest;
  readonly recipient: Recipient;
  readonly balance: Balance;
  /** Minor units. */
  readonly fee: bigint;
  readonly starts: TransferStatus;
  readonly awaitsApproval: boolean;
  readonly atMs: number;
  /** Of the journal. */
  readonly line: number;
}

/** A transfer under one reference: what was asked for, what this account's number does with it, and what has become of it. */
export class Transfer {
  readonly behaviour: Behaviour;
  readonly payments: Payment[] = [];
  readonly id: number;
  /** TRF_… */
  readonly code: string;
  readonly amount: bigint;
  status: TransferStatus;
  /** In words; '' unless it was not paid. */
  failure = '';
  /** null before it is paid. */
  sessionId: string | null = null;
  paidAtMs: number | null = null;
  updatedAtMs: number;
  /** Amount and fee are set aside. */
  isReserved = true;
  /** What the merchant's server says is waited for. */
  awaitsApproval: boolean;
  nextStep = 0;
  /** Infinity: nothing is to come, or not before it is released. */
  dueAtMs = Infinity;
  /** The journal line of the newest fact. */
  lastLine: number;

  constructor(readonly accepted: Accepted) {
    const { request, recipient, starts, awaitsApproval, atMs, line } = accepted;
    this.behaviour = behaviourOf(recipient.request.accountNumber);
    this.id = 40_000_000 + line;
    this.code = `TRF_${receiptOf(line, '').toLowerCase()}`;
    this.amount = BigInt(request.amount);
    this.status = starts;
    this.awaitsApproval = awaitsApproval;
    this.updatedAtMs = atMs;
    this.lastLine = line;
  }

  get reference(): string {
    return this.accepted.request.reference;
  }

  get step(): Step | undefined {
    if (this.status === 'otp') return ABANDON;
    return this.awaitsApproval ? undefined : this.behaviour.course[this.nextStep];
  }

  get isConclusive(): boolean {
    return isConclusive(this.status);
  }

  /** The newest payment that did not come back. */
  get standing(): Payment | undefined {
    return this.payments.findLast(({ reversed }) => !reversed);
  }

  dropCourse(): void {
    this.nextStep = this.behaviour.course.length;
  }
}
