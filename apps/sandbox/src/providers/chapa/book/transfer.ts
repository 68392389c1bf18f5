import { createHash } from 'node:crypto';

import { receiptOf } from '../../book/receipt.js';
import { hundredths } from '../data/amount.js';
import { type Behaviour, isFinal, type Step, type TransferStatus } from '../behaviour/behaviour.js';
import { behaviourOf } from '../behaviour/numbers.js';
import type { Terms, TransferRequest } from './book-line.js';

/** Money that went out. */
export interface Payment {
  readonly receipt: string;
  readonly atMs: number;
  /** Decimal string: what was approved, which may be other than what was asked for. */
  readonly amount: string;
  readonly accountNumber: string;
  readonly bankCode: number;
  /** It came back. */
  reversed: boolean;
}

export interface AcceptedTransfer {
  readonly request: TransferRequest;
  readonly acceptedAtMs: number;
  readonly line: number;
  /** Hundredths. */
  readonly charge: bigint;
  readonly waits: boolean;
}

/** One taken call: what was asked for, what this number does with it, and what has become of it. */
export class Transfer {
  readonly request: TransferRequest;
  readonly behaviour: Behaviour;
  /** chapa_transfer_id. */
  readonly id: string;
  /** chapa_reference. */
  readonly chapaReference: string;
  readonly acceptedAtMs: number;
  readonly charge: bigint;
  readonly payments: Payment[] = [];
  status: TransferStatus = 'pending';
  /** What it pays. */
  terms: Terms;
  waitsForApproval: boolean;
  /** Principal and charge are set aside. */
  isReserved = true;
  nextStep = 0;
  /** Infinity: nothing is to come, or not before it is approved or released. */
  dueAtMs = Infinity;
  updatedAtMs: number;
  /** The journal line of the newest fact. */
  lastLine: number;

  constructor({ request, acceptedAtMs, line, charge, waits }: AcceptedTransfer) {
    this.request = request;
    this.behaviour = behaviourOf(request.accountNumber);
    this.id = uuidOf(`transfer ${line}`);
    this.chapaReference = receiptOf(line, '2');
    this.acceptedAtMs = acceptedAtMs;
    this.updatedAtMs = acceptedAtMs;
    this.charge = charge;
    this.terms = request;
    this.waitsForApproval = waits;
    this.lastLine = line;
  }

  get amount(): bigint {
    return hundredths(this.request.amount);
  }

  get step(): Step | undefined {
    return this.waitsForApproval ? undefined : this.behaviour.course[this.nextStep];
  }

  get isFinal(): boolean {
    return isFinal(this.status);
  }

  /** The newest payment that did not come back. */
  get standing(): Payment | undefined {
    return this.payments.findLast(({ reversed }) => !reversed);
  }
}

/** A UUIDv4 in form, the same for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
