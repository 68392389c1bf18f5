/** The status row of decisions.md section 2: a second copy, because the outside check must not learn it from Vuka. */
export interface StatusRow {
  readonly id: number;
  readonly transaction_code: string;
  readonly status: string;
  readonly amount: string;
  readonly type: string;
  readonly shortcode: string;
  readonly account_number: string | null;
  readonly bank_code: string;
  readonly mobile_network: string;
  readonly public_name: string | null;
  readonly receipt_number: string | null;
  readonly currency_code: string;
  readonly fee: string;
  readonly service_fee: string;
  readonly failure_code: string;
  readonly message: string;
  readonly [field: string]: unknown;
}
