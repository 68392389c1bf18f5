/** Exact decimal strings. */
export interface RateReading {
  /** By the source's clock. */
  readonly at: Date;
  /** Mid rates: fiat per USD, by currency. */
  readonly mids: ReadonlyMap<string, string>;
  /** USD per whole token, by symbol. A missing token is not bought. */
  readonly pegs: ReadonlyMap<string, string>;
}

export interface RateSource {
  /** Throws if there is no reading: the last one stays until stale. */
  read(): Promise<RateReading>;
  close(): Promise<void>;
}

/** RateSource. */
export const RATE_SOURCE = Symbol('RATE_SOURCE');
