import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TransactionBuilder } from '@stellar/stellar-sdk';
import { createLogger, Metrics } from '@vuka/runtime';

import { muxedAddress } from '../address/stellar-address.js';
import type { OutgoingTransfers, SignedTransfer, TransferFate, TransferOrder, UnsignedTransfer } from '../outgoing.js';
import { SANDBOX_KEYS } from '../sandbox/stellar/hands.js';
import { SANDBOX_STELLAR_PAYER } from '../sandbox/stellar/sandbox-stellar.js';
import { keyOf, startStellarNode, STELLAR, USDC, type SpecNode } from '../sandbox/stellar/stellar-node.spec-support.js';
import { stellarOutgoing } from './outgoing.js';
import { HorizonProxy, leapingClock, type Answer } from './stellar-fixture.spec-support.js';
import { STELLAR_TRANSFER_SIGNER as signer } from './transfer-signer.js';

const key = keyOf('refund wallet');
const [WALLET, RECIPIENT] = [key.publicKey(), keyOf('recipient').publicKey()];
const HOUR_MS = 3_600_000;
/** Clock offset. */
let laterMs = 0;
const time = { now: () => new Date(Date.now() + laterMs) };

let node: SpecNode;
let proxies: HorizonProxy[];
let outgoing: OutgoingTransfers;
beforeAll(async () => {
  node = await startStellarNode({ clock: time });
  await node.hands.hold({ account: WALLET, asset: 'USDC', amount: '1000' });
  await node.hands.hold({ account: RECIPIENT, asset: 'USDC', amount: '0' });
  proxies = await Promise.all([1, 2, 3].map(() => new HorizonProxy(node.url).start()));
  outgoing = await stellarOutgoing({
    chain: STELLAR,
    endpoints: proxies.map(({ url }) => url),
    agree: 2,
    log: createLogger('test', { level: 'silent' }),
    metrics: new Metrics('test'),
    clock: leapingClock(time),
  });
});
afterEach(async () => {
  for (const proxy of proxies) proxy.change = (_path, answer) => answer;
  await node.hands.stall(false);
});
afterAll(async () => {
  await outgoing.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
});

const soon = (): number => time.now().getTime() + 10_000;
const orderOf = (more: Partial<TransferOrder> = {}): TransferOrder => ({
  reference: 'refund-1',
  token: USDC,
  from: WALLET,
  to: RECIPIENT,
  amountMinor: 12_345_678n,
  reserved: { tokenMinor: 0n, feeMinor: 0n },
  ...more,
});
const place = async (): Promise<bigint> => {
  const next = await outgoing.nextPlace(WALLET, soon());
  if (next.kind !== 'place' || next.place === null) throw new Error(JSON.stringify(next));
  return next.place;
};
const prepared = async (more: Partial<TransferOrder> = {}, at?: bigint): Promise<UnsignedTransfer> => {
  const told = await outgoing.prepare(orderOf(more), at ?? (await place()), soon());
  if (told.kind !== 'ready') throw new Error(JSON.stringify(told, (_name, value: unknown) => String(value)));
  return told.transfer;
};
const signedOf = (unsigned: UnsignedTransfer): SignedTransfer => {
  const signed = signer.sign(unsigned, key.secret());
  if (!signed.ok) throw new Error(signed.error);
  return signed.value;
};
const fate = (unsigned: UnsignedTransfer, signed: SignedTransfer | null): Promise<TransferFate> =>
  outgoing.fate(unsigned, signed?.transactionId ?? null, soon());
const balance = async (account: string): Promise<string> => {
  const { balances } = (await node.get(`/accounts/${account}`)).body as unknown as {
    balances: { asset_code?: string; balance: string }[];
  };
  return balances.find(({ asset_code: code }) => code === 'USDC')!.balance;
};

/** Has forgotten this transaction. */
const forgetful =
  (hash: string) =>
  (path: string, answer: Answer): Answer => {
    if (path === `/transactions/${hash}`) return { status: 404, body: { status: 404, title: 'Resource Missing' } };
    return path.endsWith('/transactions') ? { status: 200, body: { _embedded: { records: [] } } } : answer;
  };
const firstOf = (answer: Answer): Answer => {
  const {
    _embedded: { records },
  } = answer.body as { _embedded: { records: unknown[] } };
  return { ...answer, body: { _embedded: { records: records.slice(0, 1) } } };
};

describe('a payment out of a wallet on Stellar', () => {
  it.each([
    ['an account', RECIPIENT],
    ['a muxed address', muxedAddress(RECIPIENT, 77n)],
  ])('goes out to %s and is final', async (_, to) => {
    const before = BigInt((await balance(RECIPIENT)).replace('.', ''));
    const unsigned = await prepared({ to });
    expect(unsigned).toMatchObject({
      chain: 'STELLAR',
      from: WALLET,
      to,
      token: USDC,
      symbol: 'USDC',
      decimals: 7,
      amountMinor: '12345678',
      mostFeeMinor: '1000',
    });
    expect(Date.parse(unsigned.expiresAt!) - time.now().getTime()).toBeGreaterThan(23 * HOUR_MS);
    expect(JSON.parse(JSON.stringify(unsigned))).toEqual(unsigned);
    const signed = signedOf(unsigned);
    expect(signer.verify(unsigned, signed.raw)).toEqual({ ok: true, value: signed });
    expect(await fate(unsigned, signed)).toEqual({ kind: 'unknown' });
    expect(await outgoing.broadcast(signed, soon())).toEqual({ kind: 'given' });
    await node.hands.mine(1);
    const { body } = await node.get(`/transactions/${signed.transactionId}`);
    expect(await fate(unsigned, signed)).toEqual({
      kind: 'final',
      block: { number: body['ledger'], hash: expect.any(String) },
    });
    expect(BigInt((await balance(RECIPIENT)).replace('.', '')) - before).toBe(12_345_678n);
    // A repeat moves nothing.
    await outgoing.broadcast(signed, soon());
    await node.hands.mine(1);
    expect(BigInt((await balance(RECIPIENT)).replace('.', '')) - before).toBe(12_345_678n);
    expect(await place()).toBe(BigInt(unsigned.place!) + 1n);
  });

  it('is given again while nothing is known of it, and is final by the same bytes', async () => {
    await node.hands.stall(true);
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    expect(await outgoing.broadcast(signed, soon())).toEqual({ kind: 'given' });
    expect(await fate(unsigned, signed)).toEqual({ kind: 'unknown' });
    expect(await outgoing.broadcast(signed, soon())).toEqual({ kind: 'given' });
    await node.hands.stall(false);
    await node.hands.mine(1);
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'final' });
  });

  it('is final too where somebody else paid more for it', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    const payer = SANDBOX_KEYS.get(SANDBOX_STELLAR_PAYER)!;
    const inner = TransactionBuilder.fromXDR(signed.raw, STELLAR.networkPassphrase) as never;
    const outer = TransactionBuilder.buildFeeBumpTransaction(payer, '5000', inner, STELLAR.networkPassphrase);
    outer.sign(payer);
    await node.post('/transactions_async', outer.toEnvelope().toXDR('base64'));
    await node.hands.mine(1);
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'final' });
  });

  it('is dead where another transaction has its sequence number, signed or not', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    await node.hands.send({ payments: [{ asset: 'USDC', amount: '1', to: RECIPIENT }], from: WALLET });
    expect(await outgoing.broadcast(signed, soon())).toMatchObject({ kind: 'refused' });
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'dead', reason: expect.stringContaining('sequence') });
    expect(await fate(unsigned, null)).toMatchObject({ kind: 'dead' });
    expect(await fate(await prepared(), null)).toEqual({ kind: 'unknown' });
  });

  it('is dead when a ledger has closed after its time, and not before', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    laterMs += 24 * HOUR_MS;
    expect(await fate(unsigned, signed)).toEqual({ kind: 'unknown' });
    await node.hands.mine(1);
    laterMs += 2_000;
    expect(await outgoing.broadcast(signed, soon())).toMatchObject({ kind: 'refused' });
    // Only the network's time counts.
    await node.hands.stall(true);
    laterMs += HOUR_MS;
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('lags') });
    await node.hands.stall(false);
    await node.hands.mine(1);
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'dead', reason: expect.stringContaining('time') });
    expect(await fate(unsigned, null)).toMatchObject({ kind: 'dead' });
  });

  it('failed where the recipient has left the asset meanwhile: its sequence is used', async () => {
    const leaver = keyOf('leaver').publicKey();
    await node.hands.hold({ account: leaver, asset: 'USDC', amount: '0' });
    const unsigned = await prepared({ to: leaver, amountMinor: 1n });
    const signed = signedOf(unsigned);
    // Fills the trustline.
    await node.hands.hold({ account: leaver, asset: 'USDC', amount: '922337203685.4775807' });
    await outgoing.broadcast(signed, soon());
    await node.hands.mine(1);
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'failed' });
    expect(await place()).toBe(BigInt(unsigned.place!) + 1n);
    expect(await outgoing.prepare(orderOf({ to: leaver }), await place(), soon())).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('no room'),
    });
  });

  it('that nobody handed in, and which is on the chain, is for people to look at', async () => {
    const unsigned = await prepared();
    await outgoing.broadcast(signedOf(unsigned), soon());
    await node.hands.mine(1);
    expect(await fate(unsigned, null)).toEqual({
      kind: 'unclear',
      reason: expect.stringContaining('its signature was never imported'),
      found: signedOf(unsigned).transactionId,
      alike: [],
    });
  });

  it('that nobody handed in, and which failed on the chain, is dead', async () => {
    const leaver = keyOf('second leaver').publicKey();
    await node.hands.hold({ account: leaver, asset: 'USDC', amount: '0' });
    const unsigned = await prepared({ to: leaver, amountMinor: 1n });
    await node.hands.hold({ account: leaver, asset: 'USDC', amount: '922337203685.4775807' });
    await outgoing.broadcast(signedOf(unsigned), soon());
    await node.hands.mine(1);
    expect(await fate(unsigned, null)).toMatchObject({ kind: 'dead', reason: expect.stringContaining('failed') });
  });

  it('that got in, and which Horizons have forgotten, is not dead by its time: its sequence number is used', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    await outgoing.broadcast(signed, soon());
    await node.hands.mine(1);
    laterMs += 25 * HOUR_MS;
    await node.hands.mine(1);
    for (const proxy of proxies) proxy.change = forgetful(signed.transactionId);
    const unclear = {
      kind: 'unclear',
      reason: expect.stringContaining('sequence number is used'),
      found: null,
      alike: [],
    };
    for (const handedIn of [null, signed]) expect(await fate(unsigned, handedIn)).toEqual(unclear);
    // One endpoint is not enough.
    proxies[0]!.change = (path, answer) =>
      path === `/accounts/${WALLET}`
        ? { ...answer, body: { ...(answer.body as object), sequence: '1' } }
        : forgetful(signed.transactionId)(path, answer);
    expect(await fate(unsigned, null)).toEqual(unclear);
  });

  it('that never got in is dead by its time where the account has not used its sequence number, whatever Horizons remember', async () => {
    const unsigned = await prepared();
    laterMs += 25 * HOUR_MS;
    await node.hands.mine(1);
    for (const proxy of proxies) proxy.change = forgetful(signedOf(unsigned).transactionId);
    expect(await fate(unsigned, null)).toMatchObject({ kind: 'dead', reason: expect.stringContaining('not used') });
  });

  it('whose account has moved on by what is known to be another is dead, however long ago that was', async () => {
    const unsigned = await prepared();
    for (let sent = 0; sent < 3; sent += 1)
      await node.hands.send({ payments: [{ asset: 'USDC', amount: '1', to: RECIPIENT }], from: WALLET });
    // Pages of one.
    for (const proxy of proxies)
      proxy.change = (path, answer) => (path === `/accounts/${WALLET}/transactions` ? firstOf(answer) : answer);
    expect(await fate(unsigned, null)).toMatchObject({
      kind: 'dead',
      reason: expect.stringContaining('another transaction'),
    });
    for (const proxy of proxies) proxy.change = forgetful('none');
    expect(await fate(unsigned, null)).toMatchObject({ kind: 'unclear' });
  });
});

describe('what is refused before anything is signed', () => {
  it('is a recipient who could not have it', async () => {
    const bare = keyOf('bare').publicKey();
    expect(await outgoing.prepare(orderOf({ to: bare }), 1n, soon())).toEqual({
      kind: 'refused',
      reason: 'there is no such account',
    });
    await node.hands.hold({ account: bare });
    expect(await outgoing.prepare(orderOf({ to: muxedAddress(bare, 5n) }), 1n, soon())).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('no trustline'),
    });
    const change = (body: object, of = 2): void => {
      for (const proxy of proxies.slice(0, of))
        proxy.change = (path, answer) =>
          path === `/accounts/${RECIPIENT}` ? { ...answer, body: { ...(answer.body as object), ...body } } : answer;
    };
    change({ data: { 'config.memo_required': 'MQ==' } });
    expect(await outgoing.prepare(orderOf(), 1n, soon())).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('SEP-29'),
    });
    expect(await outgoing.prepare(orderOf({ to: muxedAddress(RECIPIENT, 5n) }), 1n, soon())).toMatchObject({
      kind: 'ready',
    });
    change({}, 2);
    change({ balances: [] }, 1);
    expect(await outgoing.prepare(orderOf(), 1n, soon())).toMatchObject({ kind: 'ready' });
  });

  it('is more than the wallet has, for the payment or its fee: it waits', async () => {
    expect(await outgoing.prepare(orderOf({ amountMinor: 10n ** 12n }), await place(), soon())).toMatchObject({
      kind: 'short',
      of: 'token',
      needsMinor: 10n ** 12n,
    });
    expect(
      await outgoing.prepare(orderOf({ reserved: { tokenMinor: 10n ** 12n, feeMinor: 0n } }), await place(), soon()),
    ).toMatchObject({ kind: 'short', of: 'token' });
    expect(
      await outgoing.prepare(orderOf({ reserved: { tokenMinor: 0n, feeMinor: 10n ** 15n } }), await place(), soon()),
    ).toMatchObject({ kind: 'short', of: 'fee' });
    // Reserves (two, and one per trustline) cannot pay fees.
    const poor = keyOf('poor').publicKey();
    await node.hands.hold({ account: poor, asset: 'USDC', amount: '5' });
    await node.hands.hold({ account: poor, asset: 'XLM', amount: '1.50005' });
    expect(await outgoing.prepare(orderOf({ from: poor }), 1n, soon())).toEqual({
      kind: 'short',
      of: 'fee',
      needsMinor: 1_000n,
      hasMinor: 500n,
    });
    expect(await outgoing.nextPlace(keyOf('nobody').publicKey(), soon())).toMatchObject({ kind: 'trouble' });
  });

  it('is nothing by one endpoint alone, and two that are away are trouble', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    proxies[0]!.change = (path, answer) =>
      path.startsWith('/transactions') || path.endsWith('/transactions') ? { status: 503, body: {} } : answer;
    proxies[1]!.change = () => ({ status: 500, body: {} });
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'trouble' });
    expect(await outgoing.prepare(orderOf(), 1n, soon())).toMatchObject({ kind: 'ready' });
    proxies[0]!.change = proxies[1]!.change;
    expect(await outgoing.prepare(orderOf(), 1n, soon())).toMatchObject({ kind: 'trouble' });
    expect(await outgoing.broadcast(signed, soon())).toEqual({ kind: 'given' });
    proxies[2]!.change = proxies[1]!.change;
    expect(await outgoing.broadcast(signed, soon())).toMatchObject({ kind: 'trouble' });
  });
});
