/** Wei per gas. `baseFee` null: legacy chain. */
export interface GasPrices {
  readonly baseFee: bigint | null;
  /** `price` for legacy transactions; `tip` on top of the base fee. */
  readonly price: bigint;
  readonly tip: bigint;
}

export type FeeBid =
  { readonly gasPrice: bigint } | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** Nodes require a replacement to raise each part by at least 10 %. */
const RAISE_PERCENT = 115n;

/**
 * null if even a tight bid exceeds `most` (wei per gas), our cap whatever endpoints say. `over`: the bid to
 * replace.
 */
export function feeBid(most: bigint, { baseFee, price, tip }: GasPrices, over?: FeeBid): FeeBid | null {
  if (baseFee === null) {
    const asked = larger(
      raised(price),
      over === undefined ? 0n : raised('gasPrice' in over ? over.gasPrice : over.maxFeePerGas),
    );
    return asked <= most ? { gasPrice: asked } : null;
  }
  const [fee, priority] =
    over === undefined
      ? [0n, 0n]
      : 'gasPrice' in over
        ? [raised(over.gasPrice), raised(over.gasPrice)]
        : [raised(over.maxFeePerGas), raised(over.maxPriorityFeePerGas)];
  const maxPriorityFeePerGas = larger(tip, priority);
  // Room for six full blocks in a row, within `most`.
  const least = larger(baseFee + maxPriorityFeePerGas, fee);
  if (least > most) return null;
  return { maxFeePerGas: smaller(larger(2n * baseFee + maxPriorityFeePerGas, fee), most), maxPriorityFeePerGas };
}

const raised = (value: bigint): bigint => (value * RAISE_PERCENT) / 100n + 1n;
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
