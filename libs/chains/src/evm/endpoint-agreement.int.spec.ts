import { describe, expect, it } from '@jest/globals';
import { BootError, createLogger, ManualClock } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { createEvmReader } from './evm-reader.js';
import {
  blockHash,
  CHAIN_ID,
  FakeNode,
  hang,
  hex,
  huge,
  NOW,
  OURS,
  receiptOf,
  refuseWith,
  status,
  text,
  transferLog,
  TX,
} from './fake-rpc.spec-support.js';
import { CELO, FOUND, nodes, SECRETS, fixtureOf, startNodes, threeWith } from './reader-fixture.spec-support.js';

describe('two of three endpoints', () => {
  it.each([
    [
      'lies about the amount',
      (node: FakeNode) => (node.receipt = receiptOf({ logs: [transferLog({ value: 999_000_000n })] })),
    ],
    ['lies about the status', (node: FakeNode) => (node.receipt = receiptOf({ status: '0x0', logs: [] }))],
    ['lies about the sender', (node: FakeNode) => (node.receipt = receiptOf({ logs: [transferLog({ from: OURS })] }))],
    [
      'lies about the time',
      (node: FakeNode) => node.blocks.set(100, { number: hex(100), hash: blockHash(100), timestamp: '0x1' }),
    ],
    [
      'is on a fork of its own',
      (node: FakeNode) => {
        node.receipt = receiptOf({ blockHash: blockHash(9) });
        node.blocks.set(100, { number: hex(100), hash: blockHash(9), timestamp: '0x1' });
      },
    ],
    ['leaves the log out', (node: FakeNode) => (node.receipt = receiptOf({ logs: [] }))],
    ['knows nothing yet', (node: FakeNode) => (node.receipt = null)],
    [
      'is far behind',
      (node: FakeNode) => Object.assign(node, { receipt: null, newestMs: NOW.getTime() - 3_600_000, latest: 50 }),
    ],
    ['answers 500', (node: FakeNode) => (node.misbehave = status(500))],
    ['answers 429', (node: FakeNode) => (node.misbehave = status(429))],
    ['answers no JSON', (node: FakeNode) => (node.misbehave = text('<html>'))],
    [
      'answers another question',
      (node: FakeNode) => (node.misbehave = text('{"jsonrpc":"2.0","id":"x","result":null}')),
    ],
    ['answers without an end', (node: FakeNode) => (node.misbehave = huge)],
    ['refuses', (node: FakeNode) => (node.misbehave = refuseWith(-32603))],
    [
      'breaks each connection',
      (node: FakeNode) => (node.misbehave = (_request, response) => (response.destroy(), true)),
    ],
    ['is gone', (node: FakeNode) => node.stop()],
    ['does not answer', (node: FakeNode) => (node.misbehave = hang)],
  ])('are believed where one %s', async (_what, hurt) => {
    const fixture = await threeWith(hurt);
    const began = performance.now();
    expect(await fixture.read()).toEqual(FOUND);
    expect(performance.now() - began).toBeLessThan(2_900);
    expect(fixture.lines.join('')).not.toMatch(SECRETS);
    expect(await fixture.metrics.text()).not.toMatch(SECRETS);
  });

  it.each([
    [
      'lie, each in its way',
      (first: FakeNode, second: FakeNode) => {
        first.receipt = receiptOf({ logs: [] });
        second.receipt = receiptOf({ logs: [transferLog({ value: 1n })] });
      },
    ],
    ['are gone', (first: FakeNode, second: FakeNode) => Promise.all([first.stop(), second.stop()])],
    ['do not answer', (first: FakeNode, second: FakeNode) => (first.misbehave = second.misbehave = hang)],
    [
      'fail and know nothing',
      (first: FakeNode, second: FakeNode) => {
        first.misbehave = status(502);
        second.receipt = null;
      },
    ],
    [
      'lag, and know nothing',
      (first: FakeNode, second: FakeNode) =>
        [first, second].map((node) => Object.assign(node, { receipt: null, newestMs: NOW.getTime() - 3_600_000 })),
    ],
  ])('are too few where two %s: trouble, and no verdict', async (_what, hurt) => {
    const fixture = await fixtureOf(await startNodes(3), 2);
    await Promise.resolve(hurt(fixture.nodes[0]!, fixture.nodes[1]!));
    expect(await fixture.read()).toMatchObject({
      kind: 'trouble',
      reason: expect.stringMatching(/^2 of 3 endpoints must agree: 1 .*, 2 .*, 3 seen$/),
    });
    expect(fixture.lines.join('')).not.toMatch(SECRETS);
  });

  it('must both know nothing before nothing is known', async () => {
    const fixture = await fixtureOf(await startNodes(3), 2);
    fixture.nodes[0]!.receipt = fixture.nodes[1]!.receipt = null;
    expect(await fixture.read()).toEqual({ kind: 'not_found' });
  });

  it('that have pruned a receipt say nothing against the third, which has it in a block; one that is away has no say', async () => {
    const fixture = await fixtureOf(await startNodes(3), 2);
    const [first, second, third] = fixture.nodes as [FakeNode, FakeNode, FakeNode];
    first.receipt = second.receipt = null;
    const until = fixture.clock.now().getTime() + 20_000;
    expect(await fixture.reader.readByAll(TX, OURS, until)).toEqual({
      kind: 'trouble',
      reason: '2 of 3 endpoints must agree: 1 absent, 2 absent, 3 seen',
    });
    expect(await fixture.reader.blockAt(100, until)).toEqual({ kind: 'block', hash: blockHash(100) });
    third.misbehave = status(503);
    expect(await fixture.reader.readByAll(TX, OURS, until)).toEqual({ kind: 'not_found' });
    expect(fixture.lines.join('')).not.toMatch(SECRETS);
  });

  it('tell the heights that both have reached', async () => {
    const fixture = await fixtureOf(await startNodes(3), 2);
    const [first, second, third] = fixture.nodes as [FakeNode, FakeNode, FakeNode];
    Object.assign(first, { latest: 1_000_000, safe: 999_990, finalized: 999_980 });
    Object.assign(second, { latest: 131, safe: 119, finalized: null });
    Object.assign(third, { misbehave: hang });
    for (const node of [first, second])
      node.blocks.set(100, { number: hex(100), hash: blockHash(100), timestamp: hex(1_000) });
    // A missing tag counts as not reached.
    expect(await fixture.read()).toMatchObject({ kind: 'found', heights: { latest: 131, safe: 119, finalized: 0 } });
  });

  it('do not wait for the third', async () => {
    const fixture = await threeWith((node) => (node.misbehave = hang));
    const began = performance.now();
    await fixture.read();
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('accuse the one that tells of the same block otherwise, once', async () => {
    const fixture = await threeWith((node) => (node.receipt = receiptOf({ logs: [transferLog({ value: 1n })] })));
    await fixture.read();
    await until(() => fixture.codes().length > 0, { withinMs: 2_000, what: 'the alarm' });
    await fixture.read();
    const counted = 'vuka_chain_contradictions_total{chain="CELO",endpoint="1",service="offramp"} 2';
    await until(async () => (await fixture.metrics.text()).includes(counted), {
      withinMs: 2_000,
      what: 'the second to be counted',
    });
    expect(fixture.codes()).toEqual(['chain_endpoint_contradicts']);
    expect(JSON.parse(fixture.lines.find((line) => line.includes('contradicts'))!)).toMatchObject({
      level: 'error',
      chain: 'CELO',
      endpoint: 1,
      transaction_hash: TX,
    });
  });

  it('accuse nobody who is on another fork', async () => {
    const fixture = await threeWith((node) => {
      node.receipt = receiptOf({ blockHash: blockHash(9) });
      node.blocks.set(100, { number: hex(100), hash: blockHash(9), timestamp: '0x1' });
    });
    await fixture.read();
    await until(() => fixture.nodes[0]!.calls.filter((call) => call.endsWith(hex(100))).length > 0, {
      withinMs: 2_000,
      what: 'the third to be heard',
    });
    expect(fixture.codes()).toEqual([]);
  });
});

describe('the chain that endpoints serve', () => {
  it('is asserted before anything is read; the error names the endpoint by its number', async () => {
    const three = await startNodes(3);
    three[1]!.chainId = 1;
    const error: unknown = await fixtureOf(three, 2).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BootError);
    expect((error as BootError).message).toBe('CELO: endpoint 2 serves chain 1, not 42220');
    expect((error as BootError).advice).toContain('CHAIN_RPC_CELO');
    expect(
      `${(error as BootError).message}${(error as BootError).advice}${(error as BootError).stack ?? ''}`,
    ).not.toMatch(SECRETS);
  });

  it.each([
    ['fewer endpoints than must agree', 2, (url: string) => [url]],
    ['no endpoints', 1, () => []],
    ['nobody who agrees', 0, (url: string) => [url]],
    ['a URL of another kind', 1, () => ['wss://user:verysecret@example.org']],
    ['no URL', 1, () => ['verysecret']],
    ['one endpoint twice', 2, (url: string) => [url, url]],
    ['one endpoint twice, spelt differently', 2, (url: string) => [url, url.replace('http://', 'HTTP://')]],
  ])('takes no settings with %s', async (_what, agree, endpoints) => {
    const [node] = await startNodes(1);
    const log = createLogger('test', { level: 'silent' });
    const error: unknown = await createEvmReader({
      chain: CELO,
      endpoints: endpoints(node!.url),
      agree,
      log,
      clock: new ManualClock(NOW),
    }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BootError);
    expect((error as BootError).message).not.toMatch(SECRETS);
  });

  it('may be told late: an endpoint that was away at the start is heard once it has told', async () => {
    const three = await startNodes(3);
    const ports = three.map(({ port }) => port);
    const urls = three.map(({ url }) => url);
    await Promise.all(three.slice(1).map((node) => node.stop()));
    const fixture = await fixtureOf(
      three.map((node, index) => Object.defineProperty(node, 'url', { value: urls[index]! })),
      2,
    );
    expect(fixture.reader.health()).toMatchObject({
      state: '1 of 3 endpoints answer, and 2 must agree',
      endpoints: [{ state: 'ok' }, { state: 'unknown' }, { state: 'unknown' }],
    });
    await fixture.reader.watch();
    await fixture.reader.watch();
    expect(fixture.codes()).toEqual(['chain_unreachable']);
    expect(await fixture.read()).toMatchObject({ kind: 'trouble' });
    const back = await new FakeNode().start(ports[1]);
    nodes.push(back);
    expect(
      await until(
        async () => {
          fixture.clock.advance(31_000);
          fixture.clock.set(NOW);
          const sighting = await fixture.read();
          return sighting.kind === 'found' && sighting;
        },
        { withinMs: 5_000, what: 'two to agree' },
      ),
    ).toEqual(FOUND);
    await fixture.reader.watch();
    expect(fixture.lines.at(-1)).toContain('the alarm of this chain is over');
    expect(fixture.lines.join('')).not.toMatch(SECRETS);
  });

  it('is asked for each minute: an endpoint that changed its mind is not heard until it is right again', async () => {
    const fixture = await fixtureOf(await startNodes(3), 2);
    const [first, second] = fixture.nodes as [FakeNode, FakeNode];
    first.chainId = 1;
    await fixture.reader.watch();
    expect(fixture.reader.health().endpoints[0]).toEqual({ number: 1, state: 'ok' });
    fixture.clock.advance(60_000);
    await fixture.reader.watch();
    await fixture.reader.watch();
    expect(fixture.reader.health()).toMatchObject({
      state: true,
      endpoints: [{ state: 'wrong_chain' }, { state: 'ok' }, { state: 'ok' }],
    });
    expect(fixture.codes()).toEqual(['chain_endpoint_wrong']);
    fixture.clock.set(NOW);
    first.calls.length = 0;
    expect(await fixture.read()).toEqual(FOUND);
    expect(first.calls).toEqual([]);
    second.misbehave = status(500);
    expect(await fixture.read()).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('1 wrong_chain') });
    first.chainId = CHAIN_ID;
    await fixture.reader.watch();
    expect(await fixture.read()).toEqual(FOUND);
    expect(fixture.codes()).toEqual(['chain_endpoint_wrong']);
  });
});

describe('finality', () => {
  it('that falls behind is an alarm, once, until it is back', async () => {
    const fixture = await fixtureOf(await startNodes(3), 2);
    for (const node of fixture.nodes) node.latest = 171;
    const minute = async (): Promise<void> => {
      fixture.clock.advance(60_000);
      await fixture.reader.watch();
    };
    await minute();
    expect(fixture.reader.health().finalityLagBlocks).toBe(61);
    await minute();
    expect(fixture.codes()).toEqual(['chain_finality_lags']);
    expect(await fixture.metrics.text()).toContain('vuka_chain_finality_lag_blocks{chain="CELO",service="offramp"} 61');
    for (const node of fixture.nodes) node.finalized = 111;
    await minute();
    expect(fixture.lines.at(-1)).toContain('the alarm of this chain is over');
    for (const node of fixture.nodes) node.finalized = null;
    await minute();
    expect(fixture.codes()).toEqual(['chain_finality_lags', 'chain_finality_lags']);
  });

  it('that one endpoint alone tells is none', async () => {
    const fixture = await fixtureOf(await startNodes(3), 2);
    for (const node of fixture.nodes) node.latest = 171;
    fixture.nodes[0]!.finalized = 171;
    fixture.clock.advance(60_000);
    await fixture.reader.watch();
    expect(fixture.codes()).toEqual(['chain_finality_lags']);
  });
});
