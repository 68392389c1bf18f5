import type { TransferStatus } from '../behaviour/behaviour.js';

/** What was asked for. */
export interface TransferRequest {
  readonly reference: string;
  /** Minor units, in digits. */
  readonly amount: string;
  readonly currency: string;
  /** RCP_… */
  readonly recipient: string;
  readonly reason: string | null;
}

export interface RecipientRequest {
  readonly type: string;
  readonly name: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly currency: string;
  readonly description: string | null;
}

export interface MovedLine {
  readonly event: 'moved';
  readonly reference: string;
  /** RFC 3339, by the simulator's clock. */
  readonly at: string;
  readonly to: TransferStatus;
  /** In words. */
  readonly failure?: string;
  /**
   * No step of the number's: the control, the OTP that came or did not, what the merchant's server said of it. But for an
   * OTP or an approval that came, what was to come is dropped.
   */
  readonly by?: 'control' | 'otp' | 'otp_expired' | 'approval';
}

/** One line of the journal: a fact, and when. */
export type BookLine =
  | { readonly event: 'opened' | 'topped_up'; readonly currency: string; readonly amount: string; readonly at: string }
  | { readonly event: 'recipient'; readonly at: string; readonly request: RecipientRequest }
  | { readonly event: 'recipient_deleted'; readonly at: string; readonly code: string }
  | {
      readonly event: 'accepted';
      readonly at: string;
      readonly request: TransferRequest;
      /** Minor units, as the settings were then. */
      readonly fee: string;
      readonly starts: TransferStatus;
      /** The merchant's server is asked. */
      readonly awaitsApproval?: true;
    }
  | MovedLine;
