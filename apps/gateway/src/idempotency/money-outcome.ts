import type { Result } from '@vuka/domain';

/** interface.md: a partner's `data`. */
export interface AcceptanceRecord {
  readonly status: 'PENDING';
  readonly transaction_code: string;
  readonly message: string;
}

export interface MoneyOutcome<R = AcceptanceRecord> {
  readonly result: Result<R>;
  /** Sent on 2xx, 409, 503 and 504; null if nothing was called with a code. */
  readonly transactionCode: string | null;
  readonly replayed: boolean;
}
