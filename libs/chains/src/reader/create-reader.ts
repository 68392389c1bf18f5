import { BootError, type Clock, type Logger, Metrics, type MonotonicClock } from '@vuka/runtime';

import { ChainReader, type ReaderFacts } from './chain-reader.js';
import { EndpointClient } from './endpoint-client.js';
import type { Endpoint } from './endpoint.js';

export interface ReaderOptions<Facts extends ReaderFacts> {
  readonly chain: Facts;
  /** Secret http(s) URLs. Each must come from another provider, or agreement proves nothing. */
  readonly endpoints: readonly string[];
  /** How many endpoints must say the same. */
  readonly agree: number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly clock: Clock & MonotonicClock;
}

export interface EndpointParts<Facts extends ReaderFacts> {
  readonly chain: Facts;
  /** From 1, in settings order. */
  readonly number: number;
  /** The expected chain identity. */
  readonly identity: string;
  readonly client: EndpointClient;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
}

export interface ReaderFamily<Facts extends ReaderFacts> {
  /** The chain identity that its endpoints report. */
  identity(chain: Facts): string;
  /** See EndpointClient. */
  readonly longestBytes: Readonly<Record<string, number>>;
  isTransactionId(text: string): boolean;
  /** The form in which `read` and `scan` take our addresses. */
  isAddress(text: string): boolean;
  endpoint(parts: EndpointParts<Facts>): Endpoint;
}

const MOST_ENDPOINTS = 8;

/**
 * Asks each endpoint which chain it serves. Throws BootError, with chain and endpoint number, if one serves
 * another. A silent endpoint does not stop the start; until enough answer, every read is `trouble`.
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
      : refuse(chain, `endpoint ${String(index + 1)} is not an http or https URL`),
  );
  for (const [index, { href }] of urls.entries()) {
    const first = urls.findIndex((url) => url.href === href);
    if (first !== index) refuse(chain, `endpoint ${String(index + 1)} is the same as endpoint ${String(first + 1)}`);
  }
  return urls;
}

function refuse({ name }: ReaderFacts, what: string): never {
  throw new BootError(
    `${name}: ${what}`,
    `Correct CHAIN_RPC_${name} or CHAIN_RPC_AGREE. Endpoints are numbered from 1 in the order of that setting.`,
  );
}
