import type { Result } from '@vuka/domain';

/** The acceptance record (interface.md): what a partner gets as `data`. */
export interface AcceptanceRecord {
  readonly status: 'PENDING';
  readonly transaction_code: string;
  readonly message: string;
}

/** What came of a money operation. Every answer that leaves something to ask about names its transaction. */
export interface MoneyOutcome<R = AcceptanceRecord> {
  readonly result: Result<R>;
  /** Sent as `Transaction-Code` on 2xx, 409, 503 and 504; null where there never was one that anything was called by. */
  readonly transactionCode: string | null;
  readonly replayed: boolean;
}
