/** One row as published, with its source. */
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
  readonly acct_length?: number;
  readonly kind?: string;
  readonly code_type?: string;
  readonly code_verified?: boolean;
}
