/** What a source of rates says at one moment. All numbers are decimal strings, exact. */
export interface RateReading {
  /** When the source took them, by its own clock. */
  readonly at: Date;
  /** Fiat per 1 USD, the middle of the market, by currency. */
  readonly mids: ReadonlyMap<string, string>;
  /** USD per whole token, by symbol: how well each stablecoin holds its peg. One that was never told is not bought. */
  readonly pegs: ReadonlyMap<string, string>;
}

/** Where rates come from: a static table in the sandbox, an HTTP service in live. */
export interface RateSource {
  /** Within seconds. Throws where there is no reading to be had: the last one then goes on until it is stale. */
  read(): Promise<RateReading>;
  close(): Promise<void>;
}

/** RateSource. */
export const RATE_SOURCE = Symbol('RATE_SOURCE');
