/** A refund that a partner asked for, as it was answered. */
export interface AskedRefund {
  readonly partner: number;
  readonly chain: string;
  /** Of the deposit, as it is spelled there. */
  readonly hash: string;
  /** What was told of it; null: nobody knows what became of it. */
  readonly told: { readonly address: string; readonly asset: string; readonly amount: string } | null;
  /** Where it was asked for, where it was. */
  readonly to: string | null;
}
