import type { PayoutState } from '../behaviour/behaviour.js';
import type { WalletId } from './wallets.js';

/** What was asked for, as it was spelled. */
export interface PayoutRequest {
  readonly payoutId: string;
  readonly amount: string;
  readonly currency: string;
  readonly phoneNumber: string;
  readonly provider: string;
  readonly clientReferenceId?: string;
  readonly customerMessage?: string;
  /** Comes back as one object [D]. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface MovedLine {
  readonly event: 'moved';
  readonly id: string;
  /** RFC 3339, by the simulator's clock. */
  readonly at: string;
  readonly to: PayoutState;
  readonly code?: string;
  readonly receipt?: string;
  /** Hundredths, as the settings were then. */
  readonly fee?: string;
  /** The control's or the merchant's doing, no step of the number's. What was to come is dropped. */
  readonly by?: 'control';
}

/** One line of the journal: a fact, and when. */
export type BookLine =
  | { readonly event: 'opened' | 'topped_up'; readonly wallet: WalletId; readonly amount: string; readonly at: string }
  | {
      readonly event: 'accepted';
      readonly at: string;
      readonly request: PayoutRequest;
      readonly wallet: WalletId;
      /** Its provider was delayed: it waits until released. */
      readonly delayed?: true;
    }
  | MovedLine;
