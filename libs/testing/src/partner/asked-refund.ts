export interface AskedRefund {
  readonly partner: number;
  readonly chain: string;
  readonly hash: string;
  /** What the answer said; null: outcome unknown. */
  readonly told: { readonly address: string; readonly asset: string; readonly amount: string } | null;
  readonly to: string | null;
}
