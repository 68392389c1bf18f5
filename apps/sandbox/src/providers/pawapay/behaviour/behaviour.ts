import type { FailedCode, SubmitCode } from './failure-codes.js';

/** States of a payout [D]; SUBMITTED is v1's and the test numbers' word, UNHEARD_OF no word of theirs. */
export type PayoutState =
  'ACCEPTED' | 'ENQUEUED' | 'PROCESSING' | 'SUBMITTED' | 'IN_RECONCILIATION' | 'UNHEARD_OF' | 'COMPLETED' | 'FAILED';

export const isFinal = (state: PayoutState): state is 'COMPLETED' | 'FAILED' =>
  state === 'COMPLETED' || state === 'FAILED';

/** Where a payout goes next, so long after it got where it is. */
export type Step = {
  /** Milliseconds; `released`: not before the control says so. */
  readonly after: number | 'released';
} & (
  { readonly to: Exclude<PayoutState, 'ACCEPTED' | 'FAILED'> } | { readonly to: 'FAILED'; readonly code: FailedCode }
);

/** What becomes of a call that pays, besides an honest answer. */
export interface AnswerFault {
  /** Whether the payout was taken all the same. */
  readonly taken: boolean;
  readonly how:
    | 'cut'
    | 'cut_midway'
    | 'hold'
    | 'html'
    | 'gateway_html'
    | 'unknown_error'
    | 'too_many'
    | 'no_authentication'
    | 'truncated'
    | 'empty'
    | 'strange_status'
    | 'other_id'
    | 'duplicate'
    | 'enqueued';
  /** Of every call with this id; otherwise of the first alone. */
  readonly always?: true;
}

/** What the record says that is not so. */
export interface RecordFault {
  readonly amount?: 'other' | 'respelled';
  readonly phone?: 'other';
  readonly currency?: 'other';
  readonly provider?: 'other';
  readonly withoutReceipt?: true;
  readonly withoutReason?: true;
  /** NOT_FOUND for so long. */
  readonly hiddenMs?: number;
  /** Status calls are answered so for so long. */
  readonly answers?: { readonly how: 'html' | 'unknown_error' | 'too_many'; readonly forMs: number };
}

export type SigningFault =
  | 'unsigned'
  /** By a key that pawaPay does not have, under the name of one that it has. */
  | 'forged'
  /** The body was changed after signing; the digest is the old one. */
  | 'altered_body'
  /** Body and digest were changed after signing. */
  | 'altered_digest'
  /** By a new key that is published from now on. */
  | 'rotated'
  | 'expired'
  | 'raw'
  | 'der'
  | 'sha256';

/** One callback. Without members: the final body, signed as set, at once. */
export interface CallbackPlan {
  readonly on?: 'PROCESSING';
  readonly afterMs?: number;
  readonly signing?: SigningFault;
  /** What it says that is not so, signed all the same. */
  readonly says?: 'opposite' | 'other_amount' | 'other_id';
}

/** What this provider does with payouts to one number. */
export interface Behaviour {
  /** For people. */
  readonly sentence: string;
  readonly rejects?: SubmitCode;
  readonly answer?: AnswerFault;
  readonly course: readonly Step[];
  readonly record?: RecordFault;
  /** The end is reached and called back before the call that pays is answered. */
  readonly early?: true;
  /** Default: one honest callback. None: it is lost. */
  readonly callbacks?: readonly CallbackPlan[];
}
