import type { TransferStatus } from '../behaviour/behaviour.js';

/** What was asked for, as it was spelled. */
export interface TransferRequest {
  /** The merchant's, or made where none was given [D]. */
  readonly reference: string;
  readonly accountName: string;
  readonly accountNumber: string;
  readonly amount: string;
  readonly currency: string;
  readonly bankCode: number;
}

/** What a question says would be paid. */
export type Terms = Pick<TransferRequest, 'amount' | 'accountNumber' | 'bankCode'>;

export interface MovedLine {
  readonly event: 'moved';
  readonly id: string;
  /** RFC 3339, by the simulator's clock. */
  readonly at: string;
  readonly to: TransferStatus;
  /** The bank's, of a payment. */
  readonly receipt?: string;
  /** The control's doing or a refused approval, no step of the number's. What was to come is dropped. */
  readonly by?: 'control' | 'approval';
}

/** One line of the journal: a fact, and when. */
export type BookLine =
  | { readonly event: 'opened' | 'topped_up'; readonly amount: string; readonly at: string }
  | {
      readonly event: 'accepted';
      readonly at: string;
      readonly request: TransferRequest;
      /** Hundredths, as the settings were then. */
      readonly charge: string;
      /** Waits for an approval before it goes on. */
      readonly waits: boolean;
    }
  | { readonly event: 'approved'; readonly id: string; readonly at: string; readonly terms: Terms }
  | MovedLine;
