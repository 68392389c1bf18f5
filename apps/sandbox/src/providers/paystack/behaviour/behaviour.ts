import type { FailureText, Refusal } from './refusals.js';

/** Statuses of a transfer [D]; unheard_of is no word of theirs. */
export type TransferStatus =
  | 'pending'
  | 'received'
  | 'otp'
  | 'unheard_of'
  | 'success'
  | 'failed'
  | 'reversed'
  | 'abandoned'
  | 'blocked'
  | 'rejected';

export type UnpaidStatus = 'failed' | 'reversed' | 'abandoned' | 'blocked' | 'rejected';

const UNPAID: readonly string[] = [
  'failed',
  'reversed',
  'abandoned',
  'blocked',
  'rejected',
] satisfies readonly UnpaidStatus[];

export const isUnpaid = (status: TransferStatus): status is UnpaidStatus => UNPAID.includes(status);

/** No further action follows, as their table has it [D]. What comes after it all the same is a number's fault. */
export const isConclusive = (status: TransferStatus): status is 'success' | UnpaidStatus =>
  status === 'success' || isUnpaid(status);

/** Where a transfer goes next, so long after it got where it is. */
export interface Step {
  /** Milliseconds; `released`: not before the control says so. */
  readonly after: number | 'released';
  readonly to: TransferStatus;
  /** In words; only of what was not paid. */
  readonly failure?: FailureText;
}

/** What becomes of a call that pays, besides an honest answer. */
export interface AnswerFault {
  /** Whether the transfer was taken all the same. */
  readonly taken: boolean;
  readonly how:
    | 'cut'
    | 'cut_midway'
    | 'hold'
    | 'html'
    | 'gateway_html'
    | 'server_error'
    | 'too_many'
    | 'wrong_key'
    | 'truncated'
    | 'empty'
    | 'strange_status'
    | 'says_success'
    | 'other_reference'
    | 'status_false'
    | 'duplicate'
    | 'duplicate_404';
  /** Of every call with this reference; otherwise of the first alone. */
  readonly always?: true;
}

/** What the record says that is not so, or says otherwise. */
export interface RecordFault {
  readonly amount?: 'other';
  readonly currency?: 'other';
  readonly account?: 'other';
  readonly bank?: 'other';
  readonly recipient?: 'other';
  readonly reference?: 'other';
  /** Paid, and session is null. */
  readonly withoutSession?: true;
  /** Not paid, and there is a session all the same, as one of their samples has it. */
  readonly withSession?: true;
  /** The words of the failure are in `failures`, not in `gateway_response`. */
  readonly failures?: 'object';
  /** created_at in place of createdAt. */
  readonly spelling?: 'snake';
  /** 404 for so long. */
  readonly hiddenMs?: number;
  /** Status calls are answered so for so long. */
  readonly answers?: { readonly how: 'html' | 'server_error' | 'too_many' | 'wrong_key'; readonly forMs: number };
}

export type SigningFault =
  | 'unsigned'
  /** By a key that is not the merchant's. */
  | 'forged'
  /** The body was changed after signing. */
  | 'altered_body'
  /** HMAC-SHA256 under the right key. */
  | 'sha256';

/** One webhook. Without members: of the end that was reached, signed, at once. */
export interface WebhookPlan {
  readonly on?: 'pending';
  readonly afterMs?: number;
  readonly signing?: SigningFault;
  readonly spelling?: 'camel' | 'snake';
  /** What it says that is not so, signed all the same. */
  readonly says?: 'opposite' | 'other_amount' | 'other_reference' | 'other_event';
}

/** What this provider does with transfers to one account. */
export interface Behaviour {
  /** For people. */
  readonly sentence: string;
  /** Every call that pays is refused so. */
  readonly refuses?: Refusal;
  /** How GET /bank/resolve answers besides honestly. */
  readonly resolve?: 'nobody' | 'nameless' | 'server_error' | 'too_many' | 'html' | 'hold';
  /** How POST /transferrecipient answers besides honestly: the first call with the account, another account always. */
  readonly recipientAnswer?: 'cut' | 'hold' | 'html' | 'server_error' | 'too_many' | 'other_account';
  /** Its recipient is gone when the first call pays; made again it is another one. */
  readonly recipientGone?: true;
  readonly answer?: AnswerFault;
  /** As the call that pays is answered; pending unless given. */
  readonly starts?: 'otp' | 'received';
  readonly course: readonly Step[];
  readonly record?: RecordFault;
  /** How a second call with a reference is answered; as set unless given. */
  readonly duplicateAs?: '400' | '404';
  /** The end is reached and told before the call that pays is answered. */
  readonly early?: true;
  /** Default: one honest webhook. None: it is lost. */
  readonly webhooks?: readonly WebhookPlan[];
}
