/** One row of a country's bank list, as published, with where it was read. Rules are applied in bank.ts. */
export interface BankData {
  readonly code: string;
  readonly name: string;
  readonly source: string;
  readonly status?: string;
  readonly swift?: string;
  readonly swift_verified?: boolean;
  readonly paybill?: string;
  readonly paybill_verified?: boolean;
  readonly nip?: string;
  readonly nip_verified?: boolean;
  readonly alt_codes?: readonly string[];
  /** Digits of its account numbers. */
  readonly acct_length?: number;
  /** What it is, where that is said: `bank`, `mobile_money`. */
  readonly kind?: string;
  readonly code_type?: string;
  readonly code_verified?: boolean;
}
