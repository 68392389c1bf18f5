import { BootError, type Clock, type Logger, Metrics, type MonotonicClock } from '@vuka/runtime';

import { ChainReader, type ReaderFacts } from './chain-reader.js';
import { EndpointClient } from './endpoint-client.js';
import type { Endpoint } from './endpoint.js';

export interface ReaderOptions<Facts extends ReaderFacts> {
  readonly chain: Facts;
  /** http or https URLs, secrets all of them; each from a provider of its own, or their agreement is worth nothing. */
  readonly endpoints: readonly string[];
  /** How many of them must say the same. */
  readonly agree: number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly clock: Clock & MonotonicClock;
}

/** What an endpoint of any family is made of. */
export interface EndpointParts<Facts extends ReaderFacts> {
  readonly chain: Facts;
  /** From 1, in the order of the settings. */
  readonly number: number;
  /** What the endpoint must say that its chain is. */
  readonly identity: string;
  readonly client: EndpointClient;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
}

/** What the readers of one family have of their own. */
export interface ReaderFamily<Facts extends ReaderFacts> {
  /** What tells a chain from all others, as its endpoints name it. */
  identity(chain: Facts): string;
  /** Of EndpointClient. */
  readonly longestBytes: Readonly<Record<string, number>>;
  isTransactionId(text: string): boolean;
  /** Of the form in which an address of ours is handed to `read` and `scan`. */
  isAddress(text: string): boolean;
  endpoint(parts: EndpointParts<Facts>): Endpoint;
}

const MOST_ENDPOINTS = 8;

/**
 * A reader of one chain, after each endpoint was asked which chain it serves. One that serves another is a mistake in the settings:
 * BootError, which names the chain and the number of the endpoint. One that is silent is heard as soon as it has told: an outage of
 * a provider keeps no service from starting, and until enough endpoints speak every read is `trouble`.
 */
export async function createReader<Facts extends ReaderFacts>(
  options: ReaderOptions<Facts>,
  family: ReaderFamily<Facts>,
): Promise<ChainReader> {
  const { chain, clock, log, metrics = new Metrics('chains'), agree } = options;
  const urls = endpointUrls(options);
  const endpoints = urls.map((url, index) => {
    const number = index + 1;
    const client = new EndpointClient({
      chain: chain.name,
      number,
      url,
      clock,
      metrics,
      longestBytes: family.longestBytes,
    });
    return family.endpoint({ chain, number, identity: family.identity(chain), clock, log, client });
  });
  const told = await Promise.all(endpoints.map((endpoint) => endpoint.checkChain()));
  const wrong = endpoints.findIndex(({ state }) => state === 'wrong_chain');
  if (wrong >= 0) {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    refuse(chain, `endpoint ${String(wrong + 1)} serves chain ${told[wrong] ?? '?'}, not ${family.identity(chain)}`);
  }
  return new ChainReader(chain, endpoints, agree, family, { log, metrics, clock });
}

function endpointUrls({ chain, endpoints, agree }: ReaderOptions<ReaderFacts>): readonly URL[] {
  if (endpoints.length > MOST_ENDPOINTS) refuse(chain, `more than ${String(MOST_ENDPOINTS)} endpoints`);
  if (!Number.isInteger(agree) || agree < 1 || agree > endpoints.length)
    refuse(chain, `${String(agree)} of ${String(endpoints.length)} endpoints cannot agree`);
  const urls = endpoints.map((text, index) =>
    URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
      ? new URL(text)
      : refuse(chain, `endpoint ${String(index + 1)} is no http or https URL`),
  );
  for (const [index, { href }] of urls.entries()) {
    const first = urls.findIndex((url) => url.href === href);
    if (first !== index)
      refuse(
        chain,
        `endpoint ${String(index + 1)} is endpoint ${String(first + 1)} again, and would agree with itself`,
      );
  }
  return urls;
}

function refuse({ name }: ReaderFacts, what: string): never {
  throw new BootError(
    `${name}: ${what}`,
    `Put right CHAIN_RPC_${name} (and CHAIN_RPC_AGREE): endpoints are numbered from 1 in the order in which they stand there.`,
  );
}
