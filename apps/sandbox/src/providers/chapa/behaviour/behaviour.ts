import type { RefusalCode } from './refusals.js';

/**
 * What verify says of a transfer. The documents have success, failed, pending [D], reverted after a refused approval [D] and,
 * in events and in the list, "failed/cancelled" with its slash [D]; queued and cancelled alone are unconfirmed [U], UNHEARD_OF is no
 * word of theirs.
 */
export type TransferStatus =
  'pending' | 'queued' | 'UNHEARD_OF' | 'success' | 'failed' | 'cancelled' | 'failed/cancelled' | 'reverted';

const UNPAID = ['failed', 'cancelled', 'failed/cancelled', 'reverted'] as const;
export type UnpaidStatus = (typeof UNPAID)[number];

export const isUnpaid = (status: TransferStatus): status is UnpaidStatus =>
  (UNPAID as readonly TransferStatus[]).includes(status);
export const isFinal = (status: TransferStatus): boolean => status === 'success' || isUnpaid(status);

/** Where a transfer goes next, so long after it got where it is; the first step, after it was approved. */
export interface Step {
  /** Milliseconds; `released`: not before the control says so. */
  readonly after: number | 'released';
  readonly to: TransferStatus;
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
    | 'unauthorized'
    | 'truncated'
    | 'empty'
    | 'strange_status'
    | 'failed_with_200'
    | 'other_reference'
    | 'null_data'
    | 'object_data'
    | 'test_mode'
    | 'used_before';
  /** Of every call with this reference; otherwise of the first alone. */
  readonly always?: true;
}

/** What verify says that is not so, or not as it should be. */
export interface RecordFault {
  /** `text`: the same as a string, with two decimals. */
  readonly amount?: 'other' | 'text';
  readonly account?: 'other' | 'international';
  readonly name?: 'other';
  readonly currency?: 'other';
  readonly bank?: 'other' | 'misnamed';
  readonly reference?: 'other';
  /** cross_party_reference is null, as in the documents' sample, or empty. */
  readonly receipt?: 'null' | 'empty';
  /** The answer of a test account: `data: [null]` [I]. */
  readonly testMode?: true;
  /** Not found for so long. */
  readonly hiddenMs?: number;
  /** Questions are answered so for so long. */
  readonly answers?: { readonly how: 'html' | 'server_error' | 'too_many'; readonly forMs: number };
}

export type SigningFault =
  | 'unsigned'
  /** By a secret that is not ours. */
  | 'forged'
  /** The amount was changed after signing. */
  | 'altered_body'
  /** Only the constant chapa-signature, which says nothing of the body. */
  | 'constant_only'
  /** The constant is right, x-chapa-signature is by another secret. */
  | 'constant_and_forged'
  /** Other spaces and escaped slashes than JSON.stringify writes; the bytes are signed. */
  | 'other_writing'
  /** Written so, and signed is what JSON.stringify makes of the parsed body, as the documents' sample reads it [D]. */
  | 'restated';

/** One webhook. Without members: the final body, signed well, at once. */
export interface WebhookPlan {
  readonly on?: 'queued';
  readonly afterMs?: number;
  readonly signing?: SigningFault;
  /** What it says that is not so, signed all the same. */
  readonly says?: 'opposite' | 'other_amount' | 'other_account' | 'other_reference' | 'plain_failed';
}

export type QuestionSigning = 'unsigned' | 'forged' | 'altered_body' | 'constant';

/** One question whether to pay. Without members: what was asked for, signed well, at once. */
export interface ApprovalPlan {
  readonly afterMs?: number;
  readonly signing?: QuestionSigning;
  /** Where it is approved all the same, this is paid. */
  readonly says?: 'other_amount' | 'other_account' | 'other_bank' | 'other_name' | 'other_reference';
  /** Its answer decides nothing: a stranger's, or one too many. */
  readonly isIdle?: true;
}

export interface Approvals {
  readonly asks: readonly ApprovalPlan[];
  /** It pays without waiting for an answer. */
  readonly paysAnyway?: true;
  /** Asked before the call that pays is answered. */
  readonly early?: true;
}

/** What Chapa does with transfers to one number. */
export interface Behaviour {
  /** For people. */
  readonly sentence: string;
  readonly rejects?: RefusalCode;
  readonly answer?: AnswerFault;
  readonly course: readonly Step[];
  readonly record?: RecordFault;
  /** The end is reached and told before the call that pays is answered. */
  readonly early?: true;
  /** Default: one honest question, if the account asks at all. */
  readonly approvals?: Approvals;
  /** Default: one honest webhook. None: it is lost. */
  readonly webhooks?: readonly WebhookPlan[];
  /** Default: as the settings have it. */
  readonly repeats?: 'refused' | 'paid_again';
}
