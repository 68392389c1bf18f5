import { describe, expect, it } from '@jest/globals';
import type { Sighting } from '@vuka/domain';
import { until } from '@vuka/testing';

import {
  blockHash,
  type FakeNode,
  hang,
  hex,
  type Misbehaviour,
  NOW,
  OURS,
  receiptOf,
  refuseWith,
  send,
  status,
  transferLog,
  TX,
  USDC,
  when,
} from './fake-rpc.spec-support.js';
import { FOUND, fixtureOf, startNodes } from './reader-fixture.spec-support.js';

describe('one endpoint', () => {
  const one = async (change: (node: FakeNode) => unknown): Promise<Sighting> => {
    const fixture = await fixtureOf(await startNodes(1), 1);
    await change(fixture.nodes[0]!);
    return fixture.read();
  };

  it('tells what came, where, and how far the chain is', async () => {
    expect(await one(() => undefined)).toEqual(FOUND);
  });

  it('tells of a transaction that reverted', async () => {
    expect(await one((node) => (node.receipt = receiptOf({ status: '0x0', logs: [] })))).toEqual({
      kind: 'failed',
      block: FOUND.block,
      heights: FOUND.heights,
    });
    expect(await one((node) => (node.receipt = receiptOf({ status: '0x0' })))).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['is missing', undefined],
    ['is null', null],
    ['is a number', 1],
    ['is true', true],
    ['is 2', '0x2'],
    ['is empty', '0x'],
    ['is padded', '0x01'],
  ])('says nothing where the status %s: success is told, never assumed', async (_what, told) => {
    expect(await one((node) => (node.receipt = receiptOf({ status: told })))).toMatchObject({
      kind: 'trouble',
      reason: expect.stringContaining('receipt.status'),
    });
  });

  it.each(['0x0', '0x1', '0x2', '0x3', '0x4', '0x64', '0x6a', '0x7b', '0x7e', '0xff', 'strange', undefined])(
    'tells of a transaction of type %s as of any other',
    async (type) => {
      expect(
        await one(
          (node) =>
            (node.receipt = receiptOf({
              type,
              feeCurrency: USDC,
              l1Fee: 'what',
              authorizationList: [{}],
              logs: [transferLog()],
            })),
        ),
      ).toEqual(FOUND);
    },
  );

  it('knows nothing of a transaction that is in no block', async () => {
    expect(await one((node) => (node.receipt = null))).toEqual({ kind: 'not_found' });
    expect(await one((node) => (node.receipt = receiptOf({ blockHash: null, blockNumber: null })))).toEqual({
      kind: 'not_found',
    });
  });

  it('is not believed to know nothing where it lags', async () => {
    const lagging =
      (ms: number) =>
      (node: FakeNode): void =>
        void Object.assign(node, { receipt: null, newestMs: NOW.getTime() - ms });
    expect(await one(lagging(31_000))).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('lags') });
    expect(await one(lagging(29_000))).toEqual({ kind: 'not_found' });
  });

  it.each([
    ['has another hash by now', { number: hex(100), hash: blockHash(7), timestamp: '0x1' }],
    ['is not there any more', null],
    ['has another number', { number: hex(101), hash: blockHash(100), timestamp: '0x1' }],
  ])('says nothing where the block of the receipt %s', async (_what, block) => {
    expect(await one((node) => node.blocks.set(100, block))).toMatchObject({
      kind: 'trouble',
      reason: expect.stringContaining('not canonical'),
    });
  });

  it.each([
    ['of another transaction', receiptOf({ transactionHash: blockHash(3) })],
    ['with a log of another one', receiptOf({ logs: [transferLog({ transactionHash: blockHash(3) })] })],
    ['with a log of another block', receiptOf({ logs: [transferLog({ blockHash: blockHash(3) })] })],
    ['without logs', receiptOf({ logs: undefined })],
    ['with logs that are none', receiptOf({ logs: [7] })],
    ['with too many logs', receiptOf({ logs: Array.from({ length: 20_001 }, () => ({})) })],
    ['with a block number that is none', receiptOf({ blockNumber: 'abc' })],
    ['with a block number beyond all', receiptOf({ blockNumber: '0xffffffffffffffff' })],
    ['that is a list', []],
    ['that is a text', 'ok'],
  ])('says nothing by a receipt %s', async (_what, receipt) => {
    expect(await one((node) => (node.receipt = receipt))).toMatchObject({
      kind: 'trouble',
      reason: expect.stringContaining('malformed'),
    });
  });

  it('says nothing by a block without a time', async () => {
    expect(await one((node) => node.blocks.set(100, { number: hex(100), hash: blockHash(100) }))).toMatchObject({
      kind: 'trouble',
      reason: expect.stringContaining('block.timestamp'),
    });
  });

  it.each([
    ['null', (node: FakeNode) => (node.safe = null)],
    [
      'by an error',
      (node: FakeNode) =>
        (node.misbehave = ({ params, id }, response) =>
          params[0] === 'safe' && refuseWith(-39001)({ method: '', params, id }, response)),
    ],
  ])('may not know a tag, and says so %s', async (_what, change) => {
    expect(await one(change)).toEqual({ ...FOUND, heights: { latest: 130, safe: null, finalized: 110 } });
  });

  it('is asked again once where it is told too often, and where its connection breaks', async () => {
    for (const [method, first] of [
      ['eth_getTransactionReceipt', status(429)],
      ['eth_getBlockByNumber', refuseWith(-32005)],
      [
        'eth_getTransactionReceipt',
        (_request: unknown, response: { destroy(): unknown }) => (response.destroy(), true),
      ],
    ] as const) {
      let times = 0;
      expect(
        await one(
          (node) => (node.misbehave = when(method, (request, response) => times++ === 0 && first(request, response))),
        ),
      ).toEqual(FOUND);
      expect(times).toBeGreaterThan(1);
    }
  });

  it('is asked no third time', async () => {
    const fixture = await fixtureOf(await startNodes(1), 1);
    fixture.nodes[0]!.misbehave = when('eth_getTransactionReceipt', status(429));
    expect(await fixture.read()).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('rate_limited') });
    expect(fixture.nodes[0]!.calls.filter((call) => call === 'eth_getTransactionReceipt')).toHaveLength(2);
  });

  it('may answer in pieces and at length, and no longer than such an answer is', async () => {
    const padded = (bytes: number): Misbehaviour =>
      when(
        'eth_getTransactionReceipt',
        ({ id }, response) => (
          send(response, { jsonrpc: '2.0', id, padding: 'x'.repeat(bytes), result: receiptOf() }),
          true
        ),
      );
    expect(await one((node) => (node.misbehave = padded(7_000_000)))).toEqual(FOUND);
    const fixture = await fixtureOf(await startNodes(1), 1);
    fixture.nodes[0]!.misbehave = padded(9_000_000);
    // Never the endpoint's fault.
    for (let n = 0; n < 7; n++)
      expect(await fixture.read()).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('1 too_large') });
    fixture.nodes[0]!.misbehave = () => false;
    expect(await fixture.read()).toEqual(FOUND);
  });

  it('is not followed to another address', async () => {
    const [elsewhere] = await startNodes(1);
    const sighting = await one(
      (node) =>
        (node.misbehave = (_request, response) => (response.writeHead(307, { location: elsewhere!.url }).end(), true)),
    );
    expect(sighting).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('http_status: 307') });
    expect(elsewhere!.calls).toEqual([]);
  });

  it('gets its path, its key and its login', async () => {
    let seen: unknown;
    await one(
      (node) =>
        (node.misbehave = (_request, response) => (
          (seen = [response.req.url, response.req.headers.authorization]),
          false
        )),
    );
    expect(seen).toEqual([
      '/v2/topsecretkey?apikey=alsosecret',
      `Basic ${Buffer.from('keyholder:verysecret').toString('base64')}`,
    ]);
  });

  it('is heard again after a rest, and spared in it', async () => {
    const fixture = await fixtureOf(await startNodes(1), 1);
    const [node] = fixture.nodes as [FakeNode];
    node.misbehave = status(503);
    for (let n = 0; n < 4; n++) await fixture.read();
    expect(fixture.reader.health()).toMatchObject({
      state: expect.stringContaining('0 of 1'),
      endpoints: [{ number: 1, state: 'resting' }],
    });
    const calls = node.calls.length;
    expect(await fixture.read()).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('resting') });
    expect(node.calls).toHaveLength(calls);
    node.misbehave = () => false;
    fixture.clock.advance(31_000);
    await until(
      async () => (
        fixture.clock.advance(3_000),
        (await fixture.read()).kind === 'found' || (fixture.clock.set(NOW), false)
      ),
      { withinMs: 5_000, what: 'the endpoint to be heard' },
    );
    expect(fixture.reader.health().state).toBe(true);
  });
});

describe('the bounds of a read', () => {
  it("are the caller's", async () => {
    const fixture = await fixtureOf(await startNodes(1), 1);
    fixture.nodes[0]!.misbehave = hang;
    const began = performance.now();
    expect(await fixture.reader.read(TX, OURS, fixture.clock.now().getTime() + 100)).toEqual({
      kind: 'trouble',
      reason: 'no answer in time',
    });
    expect(await fixture.reader.read(TX, OURS, fixture.clock.now().getTime())).toEqual({
      kind: 'trouble',
      reason: 'no answer in time',
    });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('are 3 s a call where nobody hurries', async () => {
    const fixture = await fixtureOf(await startNodes(1), 1);
    fixture.nodes[0]!.misbehave = hang;
    const began = performance.now();
    expect(await fixture.read()).toMatchObject({ kind: 'trouble', reason: '1 of 1 endpoints must agree: 1 late' });
    expect(performance.now() - began).toBeLessThan(4_500);
  });

  it.each([
    ['0xAB', OURS],
    [TX.toUpperCase(), OURS],
    [TX.slice(2), OURS],
    [TX, 'nobody'],
  ])('are canonical names: %s, %s is a bug of the caller', async (id, address) => {
    const fixture = await fixtureOf(await startNodes(1), 1);
    await expect(fixture.reader.read(id, address, NOW.getTime() + 1_000)).rejects.toThrow(TypeError);
  });

  it('ask for the newest blocks once for all who read at once', async () => {
    const fixture = await fixtureOf(await startNodes(1), 1);
    await until(() => fixture.nodes[0]!.calls.length >= 4, { withinMs: 2_000, what: 'the first look' });
    fixture.clock.advance(1_000);
    fixture.nodes[0]!.calls.length = 0;
    expect(await Promise.all(Array.from({ length: 20 }, () => fixture.read()))).toEqual(
      Array.from({ length: 20 }, () => FOUND),
    );
    const calls = fixture.nodes[0]!.calls;
    for (const tag of ['latest', 'safe', 'finalized'])
      expect(calls.filter((call) => call.endsWith(tag))).toHaveLength(1);
    expect(calls).toHaveLength(43);
    const told = await fixture.metrics.text();
    expect(told).toContain('vuka_chain_reads_total{chain="CELO",outcome="found",service="offramp"} 20');
    expect(told).toContain(
      'vuka_chain_calls_total{chain="CELO",endpoint="1",method="eth_getTransactionReceipt",service="offramp"} 20',
    );
  });

  it('ask nothing of tags for a transaction that is not there', async () => {
    const fixture = await fixtureOf(await startNodes(1), 1);
    await until(() => fixture.nodes[0]!.calls.length >= 4, { withinMs: 2_000, what: 'the first look' });
    fixture.clock.advance(1_000);
    fixture.nodes[0]!.calls.length = 0;
    fixture.nodes[0]!.receipt = null;
    await fixture.read();
    expect(fixture.nodes[0]!.calls.sort()).toEqual(['eth_getBlockByNumber latest', 'eth_getTransactionReceipt']);
  });
});
