import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tokenAt, type Sighting } from '@vuka/domain';
import { BootError } from '@vuka/runtime';

import { muxedAddress } from '../address/stellar-address.js';
import type { ChainReader } from '../reader/chain-reader.js';
import {
  SANDBOX_STELLAR_FAKE_ISSUER,
  SANDBOX_STELLAR_PAYER,
  type SentToStellar,
  type StellarSend,
} from '../sandbox/stellar/sandbox-stellar.js';
import { keyOf, startStellarNode, STELLAR, USDC, type SpecNode } from '../sandbox/stellar/stellar-node.spec-support.js';
import { readerOf, type ReaderFixture } from './stellar-fixture.spec-support.js';

const ACCOUNT = keyOf('settlement').publicKey();
const OTHER = keyOf('another').publicKey();
const OURS = muxedAddress(ACCOUNT, 420n);
const ALSO_OURS = muxedAddress(ACCOUNT, 421n);
const FAKE = `USDC:${SANDBOX_STELLAR_FAKE_ISSUER}`;
const SMART_WALLET = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75';

let node: SpecNode;
let fixture: ReaderFixture;
let reader: ChainReader;
beforeAll(async () => {
  node = await startStellarNode();
  fixture = await readerOf([node.url], 1);
  ({ reader } = fixture);
});
afterAll(async () => {
  await reader.close();
  await node.stop();
});

const read = (hash: string, address = OURS): Promise<Sighting> => reader.read(hash, address, Date.now() + 10_000);
async function sent(send: StellarSend): Promise<SentToStellar> {
  const result = await node.hands.send(send);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}
const usdc = (amount: string, to = ACCOUNT): StellarSend['payments'][number] => ({ asset: 'USDC', amount, to });
const credited = (sighting: Sighting, token = USDC): bigint[] =>
  (sighting.kind === 'found' ? sighting.transfers : [])
    .filter((transfer) => transfer.token === token)
    .map(({ value }) => value);

describe('a Stellar payment is told', () => {
  it('by its memo id, with its ledger, which is final', async () => {
    const { hash, ledger } = await sent({ payments: [usdc('12.5')], memo: '420' });
    const { body } = await node.get(`/ledgers/${String(ledger)}`);
    expect(await read(hash)).toEqual({
      kind: 'found',
      block: { number: ledger, hash: body['hash'], timeMs: Date.parse(String(body['closed_at'])) },
      heights: { latest: ledger, safe: null, finalized: ledger },
      transfers: [{ token: USDC, from: SANDBOX_STELLAR_PAYER, value: 125_000_000n, ordinal: 0 }],
    });
    expect(credited(await read(hash, ALSO_OURS))).toEqual([]);
    expect(credited(await read(hash, muxedAddress(OTHER, 420n)))).toEqual([]);
  });

  it.each([
    ['to a muxed address', { payments: [usdc('1', OURS)] }],
    ['to a muxed address, and the same id as a memo', { payments: [usdc('1', OURS)], memo: '420' }],
    ['by a path: what arrived, not what was given', { payments: [{ ...usdc('1', OURS), kind: 'path' as const }] }],
    ['by a path with a memo', { payments: [{ ...usdc('1'), kind: 'path' as const }], memo: '420' }],
    ['through the contract of the asset', { payments: [{ ...usdc('1', OURS), kind: 'contract' as const }] }],
    ['through that contract, with a memo', { payments: [{ ...usdc('1'), kind: 'contract' as const }], memo: '420' }],
    [
      'from a smart wallet, which knows no memo',
      { payments: [{ ...usdc('1', OURS), kind: 'contract' as const }], from: SMART_WALLET },
    ],
    ['from a muxed address', { payments: [usdc('1', OURS)], from: muxedAddress(keyOf('payer').publicKey(), 7n) }],
    ['whose fee somebody else paid', { payments: [usdc('1', OURS)], feeBump: true }],
  ])('%s', async (_, send) => {
    const sighting = await read((await sent(send)).hash);
    expect(credited(sighting)).toEqual([10_000_000n]);
  });

  it('by each of several in one transaction: ours alone', async () => {
    const payments = [
      usdc('1', OURS),
      usdc('2', ALSO_OURS),
      usdc('4', OURS),
      usdc('8', OTHER),
      { asset: 'EURC', amount: '16', to: OURS },
    ];
    const { hash } = await sent({ payments });
    const sighting = await read(hash);
    expect(credited(sighting)).toEqual([10_000_000n, 40_000_000n]);
    expect(sighting).toMatchObject({
      transfers: [{ ordinal: 0 }, { ordinal: 2_000 }, { ordinal: 4_000, token: expect.stringMatching(/^EURC:/) }],
    });
    expect(credited(await read(hash, ALSO_OURS))).toEqual([20_000_000n]);
  });

  it('by the number zero, which Horizon leaves out', async () => {
    const zero = muxedAddress(ACCOUNT, 0n);
    for (const send of [
      { payments: [usdc('1', zero)] },
      { payments: [{ ...usdc('1', zero), kind: 'contract' as const }] },
      { payments: [usdc('1')], memo: '0' },
    ]) {
      expect(credited(await read((await sent(send)).hash, zero))).toEqual([10_000_000n]);
    }
    expect(credited(await read((await sent({ payments: [usdc('1', zero)], memo: '420' })).hash))).toEqual([]);
  });

  it('by one name, whichever of its hashes it is asked for by', async () => {
    const { hash, innerHash } = await sent({ payments: [usdc('3')], memo: '420', feeBump: true });
    const outer = await read(hash);
    expect(outer).not.toHaveProperty('transactionId');
    expect(await read(innerHash!)).toEqual({ ...outer, heights: expect.anything(), transactionId: hash });
    expect(credited(await read(innerHash!))).toEqual([30_000_000n]);
    await expect(read(hash.toUpperCase())).rejects.toThrow(TypeError);
    await expect(read(hash, ACCOUNT.toLowerCase())).rejects.toThrow(TypeError);
  });
});

describe('no Stellar payment to a partner is', () => {
  it.each([
    ['without a memo', { payments: [usdc('1')] }],
    ['with the digits as a text', { payments: [usdc('1')], memo: { type: 'text', value: '420' } as const }],
    [
      'with a text that is no text',
      {
        payments: [usdc('1')],
        memo: { type: 'bytes', value: Buffer.from([0xff, 0x34, 0x32, 0x30]).toString('base64') } as const,
      },
    ],
    [
      'with a hash for a memo',
      { payments: [usdc('1')], memo: { type: 'hash', value: '420'.padStart(64, '0') } as const },
    ],
    [
      'with a return memo',
      { payments: [usdc('1')], memo: { type: 'return', value: '420'.padStart(64, '0') } as const },
    ],
    ['with another id than its muxed address has', { payments: [usdc('1', OURS)], memo: '421' }],
    [
      'with a memo that says less than its muxed address',
      { payments: [usdc('1', OURS)], memo: { type: 'text', value: '420' } as const },
    ],
    ['with another id', { payments: [usdc('1')], memo: '4200' }],
  ])('one %s; it is there for whoever looks', async (_, send) => {
    const { hash } = await sent(send);
    expect(await read(hash)).toMatchObject({ kind: 'found', transfers: [] });
    expect(await read(hash, ALSO_OURS)).toMatchObject({ kind: 'found' });
  });

  it('one of an asset with the same code, by whoever issues it', async () => {
    const sighting = await read((await sent({ payments: [{ ...usdc('1000', OURS), asset: FAKE }] })).hash);
    expect(credited(sighting)).toEqual([]);
    expect(credited(sighting, FAKE)).toEqual([10_000_000_000n]);
    expect(tokenAt(STELLAR, FAKE)).toBeUndefined();
    expect(tokenAt(STELLAR, USDC)).toBeDefined();
  });

  it('a balance that waits to be claimed, the coin of the network, or what we send ourselves', async () => {
    expect(
      await read((await sent({ payments: [{ ...usdc('1'), kind: 'claimable' }], memo: '420' })).hash),
    ).toMatchObject({ kind: 'found', transfers: [] });
    expect(await read((await sent({ payments: [{ asset: 'XLM', amount: '5', to: OURS }] })).hash)).toMatchObject({
      kind: 'found',
      transfers: [],
    });
    expect(await read((await sent({ payments: [usdc('1', OURS)], from: ACCOUNT })).hash)).toMatchObject({
      kind: 'found',
      transfers: [],
    });
  });

  it('one that failed', async () => {
    const { hash, ledger, result } = await sent({ payments: [usdc('1', OURS)], fails: true });
    expect(result).toBe('tx_failed op_success op_src_no_trust');
    expect(await read(hash)).toMatchObject({ kind: 'failed', block: { number: ledger }, heights: { latest: ledger } });
  });

  it('one that waits for its ledger, or never was', async () => {
    await node.hands.stall(true);
    const { hash } = await sent({ payments: [usdc('1', OURS)] });
    expect(await read(hash)).toEqual({ kind: 'not_found' });
    await node.hands.mine(1);
    expect(credited(await read(hash))).toEqual([10_000_000n]);
    await node.hands.stall(false);
    expect(await read('0'.repeat(64))).toEqual({ kind: 'not_found' });
  });
});

describe('the network', () => {
  it('is said by the endpoint itself', async () => {
    const test = await startStellarNode({ networkPassphrase: 'Test SDF Network ; September 2015' });
    await expect(readerOf([test.url], 1)).rejects.toThrow(BootError);
    await expect(readerOf([test.url], 1)).rejects.toThrow(
      'serves chain Test SDF Network ; September 2015, not Public Global Stellar Network ; September 2015',
    );
    await test.stop();
  });

  it('says which ledger it closed at a height, and of none that is not there yet', async () => {
    const { hash } = await sent({ payments: [usdc('1', OURS)] });
    const sighting = await read(hash);
    if (sighting.kind !== 'found') throw new Error(sighting.kind);
    const { block } = sighting;
    expect(await reader.blockAt(block.number, Date.now() + 5_000)).toEqual({ kind: 'block', hash: block.hash });
    expect(await reader.blockAt(block.number + 1_000_000, Date.now() + 5_000)).toEqual({
      kind: 'trouble',
      reason: expect.stringContaining('no such block'),
    });
    expect(await reader.readByAll(hash, OURS, Date.now() + 5_000)).toEqual(sighting);
  });

  it('says how far it is', async () => {
    const latest = await node.hands.height();
    expect(await reader.heights(Date.now() + 5_000)).toEqual({
      latest: expect.any(Number),
      safe: null,
      finalized: expect.any(Number),
    });
    expect((await reader.heights(Date.now() + 5_000))!.latest).toBeGreaterThanOrEqual(latest);
    expect(fixture.lines.join('')).not.toContain(node.url);
  });
});
