import { openReader } from '@vuka/chains';
import type { Settings } from '@vuka/config';
import { chainFault, chainNamed, type Chain } from '@vuka/domain';
import { BootError, type Clock, type Logger, type Metrics, type MonotonicClock } from '@vuka/runtime';

import type { ChainReader, ServedChain } from './chain-reader.js';

export interface ReaderWish {
  readonly chain: Chain;
  readonly endpoints: readonly string[];
  readonly agree: number;
}

/** Opens the reader of a chain; a script in tests. */
export type OpenReader = (wish: ReaderWish) => Promise<ChainReader>;

export function readersWith(tools: {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock & MonotonicClock;
}): OpenReader {
  return (wish) => openReader({ ...wish, ...tools });
}

/** The chains that are configured, each with its reader. */
export class ServedChains {
  private closed: Promise<void> | undefined;

  private constructor(private readonly opened: ReadonlyMap<string, ServedChain & { readonly reader: ChainReader }>) {}

  /** Throws BootError where the data of a chain does not bound what its transfers cost, or an endpoint serves another chain than it is configured for; what was opened is closed then. */
  public static async open(
    { endpoints, agree, searchMs = Number.POSITIVE_INFINITY }: Settings['chains'],
    open: OpenReader,
    known: (name: string) => Chain | undefined = chainNamed,
  ): Promise<ServedChains> {
    for (const name of Object.keys(endpoints)) mustBound(known(name));
    const opened = new Map<string, ServedChain & { readonly reader: ChainReader }>();
    const outcomes = await Promise.allSettled(
      Object.entries(endpoints).map(async ([name, urls]) => {
        const named = known(name);
        if (named === undefined) throw new Error(`${name} is no chain that is read`);
        // What tests look for they look for shortly.
        const chain: Chain = { ...named, searchForMs: Math.min(named.searchForMs, searchMs) };
        opened.set(name, { chain, reader: await open({ chain, endpoints: urls, agree }) });
      }),
    );
    const served = new ServedChains(opened);
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure === undefined) return served;
    await served.close();
    throw failure.reason;
  }

  public get byName(): ReadonlyMap<string, ServedChain & { readonly reader: ChainReader }> {
    return this.opened;
  }

  public get names(): ReadonlySet<string> {
    return new Set(this.opened.keys());
  }

  /** May be called twice. */
  public close(): Promise<void> {
    return (this.closed ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    await Promise.all([...this.opened.values()].map(({ reader }) => reader.close()));
  }
}

function mustBound(chain: Chain | undefined): void {
  const fault = chain === undefined ? null : chainFault(chain);
  if (fault !== null)
    throw new BootError(
      fault,
      'Nothing is sent on a chain without bounds. Complete its data (libs/domain), or serve it not: leave CHAIN_RPC_<CHAIN> out.',
    );
}
