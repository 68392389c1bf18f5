import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Sighting } from '@vuka/domain';
import { until } from '@vuka/testing';

import { muxedAddress } from '../address/stellar-address.js';
import { keyOf, startStellarNode, type SpecNode } from '../sandbox/stellar/stellar-node.spec-support.js';

import { HorizonProxy, readerOf, SECRETS, type Answer, type ReaderFixture } from './stellar-fixture.spec-support.js';

const OURS = muxedAddress(keyOf('settlement').publicKey(), 420n);

let node: SpecNode;
let hash: string;
let innerHash: string;
const open: { close(): Promise<unknown> }[] = [];
beforeAll(async () => {
  node = await startStellarNode();
  const sent = await node.hands.send({ payments: [{ asset: 'USDC', amount: '12.5', to: OURS }], feeBump: true });
  if (!sent.ok) throw new Error(sent.error);
  [hash, innerHash] = [sent.value.hash, sent.value.innerHash!];
});
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));
afterAll(() => node.stop());

type Change = HorizonProxy['change'];
type Three = ReaderFixture & { readonly proxies: readonly HorizonProxy[]; read(id?: string): Promise<Sighting> };

/** Two of three must agree; `change` applies to the first. */
async function three(change: Change, { fromStart = false, agree = 2 } = {}): Promise<Three> {
  const proxies = await Promise.all(Array.from({ length: 3 }, () => new HorizonProxy(node.url).start()));
  if (fromStart) proxies[0]!.change = change;
  const fixture = await readerOf(
    proxies.map(({ url }) => url),
    agree,
  );
  proxies[0]!.change = change;
  open.push(fixture.reader, ...proxies.map((proxy) => ({ close: () => proxy.stop() })));
  const read = async (id = hash): Promise<Sighting> => {
    const sighting = await fixture.reader.read(id, OURS, Date.now() + 20_000);
    expect(
      JSON.stringify(sighting, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(SECRETS);
    return sighting;
  };
  return { ...fixture, proxies, read };
}

const FOUND = { kind: 'found', transfers: [{ value: 125_000_000n }] };
const only =
  (part: string, to: (answer: Answer) => Answer | null): Change =>
  (path, answer) =>
    path.includes(part) ? to(answer) : answer;
const json = (answer: Answer, from: RegExp, to: string): Answer => ({
  ...answer,
  body: JSON.parse(JSON.stringify(answer.body).replaceAll(new RegExp(from, 'g'), to)) as unknown,
});
const problem = (status: number): Answer => ({
  status,
  body: { type: 'https://stellar.org/horizon-errors/x', status, detail: 'at http://127.0.0.1/topsecretkey' },
});

describe('one Horizon of three', () => {
  it.each([
    ['tells of more', only('/operations', (answer) => json(answer, /12\.5000000/, '99.0000000'))],
    [
      'tells of another payee',
      only('/operations', (answer) => json(answer, /"to_muxed_id":"420"/, '"to_muxed_id":"421"')),
    ],
    ['leaves out an operation', only('/operations', (answer) => ({ ...answer, body: { _embedded: { records: [] } } }))],
    [
      'tells that it failed',
      only('/transactions/', (answer) => json(answer, /"successful":true/, '"successful":false')),
    ],
    [
      'tells of another ledger',
      only('/ledgers/', (answer) => json(answer, /"hash":"[0-9a-f]{64}"/, `"hash":"${'a'.repeat(64)}"`)),
    ],
    [
      'tells of another name',
      only('/transactions/', (answer) =>
        json(
          answer,
          /"fee_bump_transaction":\{"hash":"[0-9a-f]{64}"/,
          `"fee_bump_transaction":{"hash":"${'a'.repeat(64)}"`,
        ),
      ),
    ],
    ['knows nothing', only('/transactions/', () => problem(404))],
    [
      'has not come so far',
      (path: string, answer: Answer) =>
        path === '/' ? json(answer, /"history_latest_ledger":\d+/, '"history_latest_ledger":1') : problem(404),
    ],
    ['answers in another way', only('/transactions/', () => ({ status: 200, body: [] }))],
    ['does not answer in JSON', only('/transactions/', () => ({ status: 200, body: '<html>' }))],
    ['breaks', only('/', () => problem(500))],
    ['has had enough', only('/', () => problem(429))],
    ['tells without end', only('/transactions/', () => ({ status: 200, body: 'x'.repeat(6_000_000) }))],
    ['leaves out whether it succeeded', only('/transactions/', (answer) => json(answer, /"successful":true,/, ''))],
    [
      'leaves out whether an operation succeeded',
      only('/operations', (answer) => json(answer, /"transaction_successful":true,/, '')),
    ],
    ['writes amounts as it likes', only('/operations', (answer) => json(answer, /"12\.5000000"/, '"12.5"'))],
  ] as const)('%s, and the others are heard', async (_, change) => {
    const fixture = await three(change);
    expect(await fixture.read()).toMatchObject(FOUND);
    expect(await fixture.read(innerHash)).toMatchObject({ ...FOUND, transactionId: hash });
    expect(fixture.lines.join('')).not.toMatch(SECRETS);
  });

  it('says nothing at all, and the others are heard', async () => {
    const fixture = await three(() => null);
    expect(await fixture.read()).toMatchObject(FOUND);
  }, 20_000);

  it('tells otherwise of a ledger: an alarm', async () => {
    const fixture = await three(only('/operations', (answer) => json(answer, /12\.5000000/, '99.0000000')));
    await fixture.read();
    await until(() => fixture.codes().includes('chain_endpoint_contradicts'), { withinMs: 5_000, what: 'the alarm' });
  });

  it.each([
    ['has pruned a ledger', problem(410)],
    ['has another ledger there', null],
  ])('%s, and the others are heard', async (_, answer) => {
    const fixture = await three(
      only('/ledgers/', (told) => answer ?? json(told, /"hash":"[0-9a-f]{64}"/, `"hash":"${'a'.repeat(64)}"`)),
    );
    const sighting = await fixture.read();
    if (sighting.kind !== 'found') throw new Error(sighting.kind);
    const blockAt = (): ReturnType<typeof fixture.reader.blockAt> =>
      fixture.reader.blockAt(sighting.block.number, Date.now() + 20_000);
    expect(await blockAt()).toEqual({ kind: 'block', hash: sighting.block.hash });
    fixture.proxies[1]!.change = only('/ledgers/', () => problem(410));
    expect(await blockAt()).toMatchObject({ kind: 'trouble' });
  });

  it('lags while another one is away: trouble, and no verdict', async () => {
    const fixture = await three((path, answer) =>
      path.startsWith('/transactions/')
        ? problem(404)
        : json(answer, /_closed_at":"[^"]+"/, '_closed_at":"2026-01-01T00:00:00Z"'),
    );
    fixture.proxies[1]!.change = only('/', () => problem(503));
    expect(await fixture.read()).toEqual({
      kind: 'trouble',
      reason: expect.stringMatching(/1 lags, 2 http_status: 503, 3 seen/),
    });
    expect(await fixture.read('0'.repeat(64))).toMatchObject({ kind: 'trouble' });
  });

  it('serves another network later on, and is heard no more', async () => {
    const fixture = await three(
      only('/', (answer) =>
        json(answer, /Public Global Stellar Network ; September 2015/, 'Test SDF Network ; September 2015'),
      ),
    );
    await until(
      async () => (await fixture.reader.watch(), fixture.reader.health().endpoints[0]!.state === 'wrong_chain'),
      {
        withinMs: 5_000,
        what: 'the endpoint to be found out',
      },
    );
    expect(fixture.codes()).toContain('chain_endpoint_wrong');
    expect(await fixture.read()).toMatchObject(FOUND);
    expect(fixture.reader.health().state).toBe(true);
  });

  it('answers 404 in the name of nobody: that is no word of Horizon', async () => {
    const fixture = await three(only('/transactions/', () => ({ status: 404, body: { message: 'no such route' } })));
    fixture.proxies[1]!.change = fixture.proxies[0]!.change;
    expect(await fixture.read()).toMatchObject({ kind: 'trouble' });
  });
});

describe('pages of incoming transfers', () => {
  it('are what two say, whatever the third leaves out or adds', async () => {
    const fixture = await three(only('/payments', (answer) => ({ ...answer, body: { _embedded: { records: [] } } })));
    const scanned = await fixture.reader.scan('0', async () => [OURS], Date.now() + 20_000);
    expect(scanned).toMatchObject({
      kind: 'page',
      incomingTransfers: [{ address: OURS, value: 125_000_000n, transactionId: hash }],
    });
    fixture.proxies[1]!.change = only('/payments', (answer) => json(answer, /12\.5000000/, '99.0000000'));
    expect(await fixture.reader.scan('0', async () => [OURS], Date.now() + 20_000)).toMatchObject({ kind: 'trouble' });
  });

  it('go no farther than two have come', async () => {
    const fixture = await three((path, answer) =>
      path === '/' ? json(answer, /"history_latest_ledger":\d+/, '"history_latest_ledger":2000000000') : answer,
    );
    const scanned = await fixture.reader.scan(null, async () => [OURS], Date.now() + 20_000);
    if (scanned.kind !== 'page') throw new Error(scanned.kind);
    expect(Number(BigInt(scanned.next) >> 32n)).toBeLessThanOrEqual(await node.hands.height());
  });
});
