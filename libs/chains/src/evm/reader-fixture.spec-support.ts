import { afterEach, expect } from '@jest/globals';
import type { Sighting } from '@vuka/domain';
import { createLogger, ManualClock, Metrics } from '@vuka/runtime';

import type { ChainReader } from '../reader/chain-reader.js';
import { createEvmReader, type EvmChainFacts } from './evm-reader.js';
import { blockHash, CHAIN_ID, FakeNode, NOW, OURS, TX, USDC } from './fake-rpc.spec-support.js';

export const CELO: EvmChainFacts = {
  name: 'CELO',
  chainId: CHAIN_ID,
  blockMs: 1_000,
  tokens: [{ address: USDC }],
  lookalikes: [],
  finality: {
    version: 1,
    tiers: [{ maxUsdCents: null, tag: 'finalized', minDepth: 0, depthWithoutTag: null }],
    maxTagLagMs: 60_000,
  },
};
/** Must appear nowhere. */
export const SECRETS = /verysecret|topsecretkey|alsosecret|keyholder|127\.0\.0\.1/;
export const FOUND = {
  kind: 'found',
  block: { number: 100, hash: blockHash(100), timeMs: NOW.getTime() - 30_000 },
  heights: { latest: 130, safe: 120, finalized: 110 },
  transfers: [{ token: USDC, from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', value: 12_500_000n, ordinal: 0 }],
};

export const nodes: FakeNode[] = [];
const readers: ChainReader[] = [];
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

export interface Fixture {
  readonly nodes: readonly FakeNode[];
  readonly reader: ChainReader;
  readonly clock: ManualClock;
  readonly lines: string[];
  readonly metrics: Metrics;
  read(): Promise<Sighting>;
  codes(): unknown[];
}

export async function startNodes(count: number): Promise<FakeNode[]> {
  const started = await Promise.all(Array.from({ length: count }, () => new FakeNode().start()));
  nodes.push(...started);
  return started;
}

export async function fixtureOf(asked: readonly FakeNode[], agree: number, chain = CELO): Promise<Fixture> {
  const clock = new ManualClock(NOW);
  const lines: string[] = [];
  const metrics = new Metrics('offramp');
  const log = createLogger('test', { level: 'trace', destination: { write: (line: string) => void lines.push(line) } });
  const reader = await createEvmReader({ chain, endpoints: asked.map(({ url }) => url), agree, log, metrics, clock });
  readers.push(reader);
  const read = async (): Promise<Sighting> => {
    const sighting = await reader.read(TX, OURS, clock.now().getTime() + 20_000);
    expect(
      JSON.stringify(sighting, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(SECRETS);
    return sighting;
  };
  const codes = (): unknown[] =>
    lines.map((line) => (JSON.parse(line) as { code?: unknown }).code).filter((code) => code !== undefined);
  return { nodes: asked, reader, clock, lines, metrics, read, codes };
}

/** Two of three must agree; `hurt` changes the first after start. */
export async function threeWith(hurt: (node: FakeNode) => unknown): Promise<Fixture> {
  const fixture = await fixtureOf(await startNodes(3), 2);
  await hurt(fixture.nodes[0]!);
  return fixture;
}
