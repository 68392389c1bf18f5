/** A buying rate, and when it was in force: epoch milliseconds. */
export interface RateInForce {
  /** Fiat per dollar, digit for digit. */
  readonly rate: string;
  readonly from: number;
  /** When another one took its place. */
  readonly until: number;
}

/** By currency. */
export type RatesInForce = ReadonlyMap<string, readonly RateInForce[]>;

/** A rate may be used for so long after its source said another one: what no reading has confirmed since is stale (docs/operators/rates.md). */
const USED_FOR_MS = 60_000;

/** One that never moves. */
export const always = (rate: string): readonly RateInForce[] => [{ rate, from: -Infinity, until: Infinity }];

/** Those that somebody may have been given between two moments. */
export function ratesBetween(rates: readonly RateInForce[], from: number, to: number): readonly string[] {
  return rates.filter((one) => one.from <= to && one.until + USED_FOR_MS >= from).map(({ rate }) => rate);
}

/** Which rates were in force and when, as they were seen one after the other. */
export class RateRecord {
  private readonly seen = new Map<string, { readonly rates: RateInForce[]; lastSeenAt: number }>();

  get rates(): RatesInForce {
    return new Map([...this.seen].map(([currency, { rates }]) => [currency, [...rates]]));
  }

  /** It is in force at this moment. Between two looks it may have come at any time after the first. */
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
