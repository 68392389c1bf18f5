/** A buying rate and its time in force, in epoch ms. */
export interface RateInForce {
  /** Fiat per dollar, exact digits. */
  readonly rate: string;
  readonly from: number;
  /** When another rate replaced it. */
  readonly until: number;
}

export type RatesInForce = ReadonlyMap<string, readonly RateInForce[]>;

/** A rate may be used this long after its source last confirmed it (docs/operators/rates.md). */
const USED_FOR_MS = 60_000;

export const always = (rate: string): readonly RateInForce[] => [{ rate, from: -Infinity, until: Infinity }];

export function ratesBetween(rates: readonly RateInForce[], from: number, to: number): readonly string[] {
  return rates.filter((one) => one.from <= to && one.until + USED_FOR_MS >= from).map(({ rate }) => rate);
}

export class RateRecord {
  private readonly seen = new Map<string, { readonly rates: RateInForce[]; lastSeenAt: number }>();

  get rates(): RatesInForce {
    return new Map([...this.seen].map(([currency, { rates }]) => [currency, [...rates]]));
  }

  note(currency: string, rate: string, at: number): void {
    const known = this.seen.get(currency);
    const last = known?.rates.at(-1);
    if (known === undefined)
      this.seen.set(currency, { rates: [{ rate, from: -Infinity, until: Infinity }], lastSeenAt: at });
    else if (last?.rate !== rate) {
      known.rates.splice(
        -1,
        1,
        { rate: last?.rate ?? rate, from: last?.from ?? at, until: at },
        { rate, from: known.lastSeenAt, until: Infinity },
      );
    }
    const now = this.seen.get(currency);
    if (now !== undefined) now.lastSeenAt = at;
  }
}
