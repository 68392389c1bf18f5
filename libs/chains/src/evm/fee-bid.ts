/** What a chain takes for gas at the moment, wei. `baseFee` null: it has none (legacy). */
export interface GasPrices {
  readonly baseFee: bigint | null;
  /** For a legacy transaction, or as little as gets in on top of the base fee. */
  readonly price: bigint;
  readonly tip: bigint;
}

export type FeeBid =
  { readonly gasPrice: bigint } | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** Nodes take a replacement that bids at least a tenth more, of each part. */
const RAISE_PERCENT = 115n;

/** What to bid; null where even a tight bid is above `most`, wei for a unit of gas: the chain's own cap, whatever endpoints say. `over`: the bid of the transaction that is to be replaced. */
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
  // Room for six full blocks in a row; less where the bound leaves less, and nothing where it does not even reach today's.
  const least = larger(baseFee + maxPriorityFeePerGas, fee);
  if (least > most) return null;
  return { maxFeePerGas: smaller(larger(2n * baseFee + maxPriorityFeePerGas, fee), most), maxPriorityFeePerGas };
}

const raised = (value: bigint): bigint => (value * RAISE_PERCENT) / 100n + 1n;
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
