import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { openReader } from '@vuka/chains';
import type { Settings } from '@vuka/config';
import { chainFault, chainNamed, type Chain } from '@vuka/domain';
import { BootError, type Clock, type Logger, type Metrics, type MonotonicClock } from '@vuka/runtime';
import { SETTINGS } from '@vuka/service-host';

import type { ChainReader, ChainsByName, ServedChain } from './chain-reader.js';

export interface ReaderWish {
  readonly chain: Chain;
  readonly endpoints: readonly string[];
  readonly agree: number;
}

export type OpenReader = (wish: ReaderWish) => Promise<ChainReader>;

/** OpenReader. */
export const OPEN_READER = Symbol('OPEN_READER');

export function readersWith(tools: {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock & MonotonicClock;
}): OpenReader {
  return (wish) => openReader({ ...wish, ...tools });
}

type Opened = ServedChain & { readonly reader: ChainReader };

/** Opened by a hook: Nest does not close what a factory opened when another factory fails. */
@Injectable()
export class ServedChains implements ChainsByName<Opened>, OnModuleInit, OnApplicationShutdown {
  private readonly opened = new Map<string, Opened>();
  private opening: Promise<void> | undefined;
  private closed: Promise<void> | undefined;

  public constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'chains'>,
    @Inject(OPEN_READER) private readonly openReader: OpenReader,
  ) {}

  public onModuleInit(): Promise<void> {
    return this.open();
  }

  public onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Throws BootError if transfer costs are not bounded, or an endpoint serves another chain. */
  public open(known: (name: string) => Chain | undefined = chainNamed): Promise<void> {
    return (this.opening ??= this.openAll(known));
  }

  public get(name: string): Opened | undefined {
    return this.opened.get(name);
  }

  public keys(): MapIterator<string> {
    return this.opened.keys();
  }

  public values(): MapIterator<Opened> {
    return this.opened.values();
  }

  /** May be called twice. */
  public close(): Promise<void> {
    return (this.closed ??= this.closeAll());
  }

  private async openAll(known: (name: string) => Chain | undefined): Promise<void> {
    const { endpoints, agree, searchMs = Number.POSITIVE_INFINITY } = this.settings.chains;
    for (const name of Object.keys(endpoints)) mustBound(known(name));
    const outcomes = await Promise.allSettled(
      Object.entries(endpoints).map(async ([name, urls]) => {
        const named = known(name);
        if (named === undefined) throw new Error(`${name} is not a chain that Vuka reads`);
        // Tests search for less time.
        const chain: Chain = { ...named, searchForMs: Math.min(named.searchForMs, searchMs) };
        this.opened.set(name, { chain, reader: await this.openReader({ chain, endpoints: urls, agree }) });
      }),
    );
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure === undefined) return;
    await this.closeReaders();
    throw failure.reason;
  }

  /** Also closes what is still being opened. */
  private async closeAll(): Promise<void> {
    await this.opening?.catch(() => undefined);
    await this.closeReaders();
  }

  private async closeReaders(): Promise<void> {
    const readers = [...this.opened.values()].map(({ reader }) => reader);
    await Promise.all(readers.map((reader) => reader.close()));
  }
}

function mustBound(chain: Chain | undefined): void {
  const fault = chain === undefined ? null : chainFault(chain);
  if (fault !== null)
    throw new BootError(
      fault,
      'Vuka sends nothing on a chain without limits for fees. Complete its data (libs/domain), or leave out CHAIN_RPC_<CHAIN>.',
    );
}
