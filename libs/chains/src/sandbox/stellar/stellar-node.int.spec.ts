import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Account,
  Asset,
  Horizon,
  Memo,
  Operation,
  TransactionBuilder,
  type Keypair,
  type xdr,
} from '@stellar/stellar-sdk';
import { until } from '@vuka/testing';

import { SANDBOX_KEYS } from './hands.js';
import { SANDBOX_STELLAR_FAKE_ISSUER, SANDBOX_STELLAR_PAYER } from './sandbox-stellar.js';
import { keyOf, muxedOf, startStellarNode, STELLAR, USDC, type SpecNode } from './stellar-node.spec-support.js';

const [anna, ben, poor] = ['anna', 'ben', 'poor'].map(keyOf) as [Keypair, Keypair, Keypair];
const usdc = new Asset('USDC', USDC.slice(5));
const pay = (amount: string, destination = ben.publicKey(), asset = usdc): xdr.Operation =>
  Operation.payment({ destination, asset, amount });

let node: SpecNode;
beforeAll(async () => {
  node = await startStellarNode({ paceMs: 50 });
  await node.hands.hold({ account: anna.publicKey(), asset: 'USDC', amount: '100' });
  await node.hands.hold({ account: ben.publicKey(), asset: 'USDC', amount: '0' });
});
afterAll(() => node.stop());

const sequenceOf = async (id: string): Promise<string> =>
  (await node.get(`/accounts/${id}`)).body['sequence'] as unknown as string;

async function signed(
  operations: xdr.Operation[],
  more: { by?: Keypair; sequence?: string; maxTime?: number; fee?: string; memo?: Memo } = {},
): Promise<ReturnType<TransactionBuilder['build']>> {
  const {
    by = anna,
    sequence = await sequenceOf(anna.publicKey()),
    maxTime = 0,
    fee = '100',
    memo = Memo.none(),
  } = more;
  const builder = new TransactionBuilder(new Account(anna.publicKey(), sequence), {
    fee,
    networkPassphrase: STELLAR.networkPassphrase,
    memo,
    timebounds: { minTime: 0, maxTime },
  });
  for (const operation of operations) builder.addOperation(operation);
  const transaction = builder.build();
  transaction.sign(by);
  return transaction;
}

const xdrOf = (transaction: { toEnvelope(): xdr.TransactionEnvelope }): string =>
  transaction.toEnvelope().toXDR('base64');
const submit = async (
  ...asked: Parameters<typeof signed>
): Promise<{ status: number; codes: unknown; hash: string }> => {
  const transaction = await signed(...asked);
  const { status, body } = await node.post('/transactions', xdrOf(transaction));
  return {
    status,
    codes: (body['extras'] as { result_codes?: unknown } | undefined)?.result_codes,
    hash: transaction.hash().toString('hex'),
  };
};

describe('the node of a sandbox Stellar', () => {
  it('speaks what the SDK reads', async () => {
    const server = new Horizon.Server(node.url, { allowHttp: true });
    const account = await server.loadAccount(anna.publicKey());
    expect(account.balances).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ balance: '100.0000000', asset_code: 'USDC', asset_issuer: USDC.slice(5) }),
      ]),
    );
    expect(await server.fetchBaseFee()).toBe(100);
    const transaction = await signed([pay('1.5', muxedOf(ben.publicKey(), '7'))], { memo: Memo.text('hello') });
    const sent = await server.submitTransaction(transaction);
    expect(sent).toMatchObject({ successful: true, hash: transaction.hash().toString('hex') });
    const { records } = await server
      .payments()
      .forAccount(ben.publicKey())
      .order('desc')
      .limit(1)
      .join('transactions')
      .call();
    expect(records[0]).toMatchObject({
      type: 'payment',
      from: anna.publicKey(),
      to: ben.publicKey(),
      to_muxed_id: '7',
      amount: '1.5000000',
      transaction_hash: sent.hash,
    });
    expect((await server.transactions().transaction(sent.hash).call()).memo).toBe('hello');
    expect((await server.operations().forTransaction(sent.hash).call()).records).toHaveLength(1);
  });

  it('tells the network, and closes ledgers by the clock, never ahead of it', async () => {
    const { body } = await node.get('/');
    expect(body).toMatchObject({
      network_passphrase: STELLAR.networkPassphrase,
      history_latest_ledger: expect.any(Number),
    });
    const age = Date.now() - Date.parse(String(body['history_latest_ledger_closed_at']));
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(3_000);
    const latest = body['history_latest_ledger'] as unknown as number;
    const [one, before] = [
      (await node.get(`/ledgers/${String(latest)}`)).body,
      (await node.get(`/ledgers/${String(latest - 1)}`)).body,
    ];
    expect(one).toMatchObject({
      sequence: latest,
      prev_hash: before['hash'],
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await node.get(`/ledgers/${String(latest + 1_000_000)}`)).status).toBe(404);
    expect((await node.get('/ledgers?order=desc&limit=1')).body).toMatchObject({
      _embedded: { records: [{ sequence: expect.any(Number) }] },
    });
  });

  it.each([
    ['a sequence that is none', [pay('1')], { sequence: '5' }, { transaction: 'tx_bad_seq' }],
    ['one that is too late', [pay('1')], { maxTime: 1_000 }, { transaction: 'tx_too_late' }],
    ['another key', [pay('1')], { by: ben }, { transaction: 'tx_bad_auth' }],
    ['too low a fee', [pay('1')], { fee: '99' }, { transaction: 'tx_insufficient_fee' }],
    [
      'no trustline there',
      [pay('1', SANDBOX_STELLAR_PAYER, new Asset('USDC', SANDBOX_STELLAR_FAKE_ISSUER))],
      {},
      { transaction: 'tx_failed', operations: ['op_src_no_trust'] },
    ],
    [
      'no account there',
      [pay('1', poor.publicKey())],
      {},
      { transaction: 'tx_failed', operations: ['op_no_destination'] },
    ],
    [
      'more than there is',
      [pay('1'), pay('1000')],
      {},
      { transaction: 'tx_failed', operations: ['op_success', 'op_underfunded'] },
    ],
    [
      'an operation that is unknown here',
      [Operation.bumpSequence({ bumpTo: '9' })],
      {},
      { transaction: 'tx_failed', operations: ['op_not_supported'] },
    ],
  ] as const)('refuses %s', async (_, operations, more, codes) => {
    expect(await submit([...operations], more)).toMatchObject({ status: 400, codes });
  });

  it('does what operations say: accounts, trustlines, payments by a path; and takes fees', async () => {
    const before = (await node.get(`/accounts/${anna.publicKey()}`)).body as unknown as {
      balances: { asset_type: string; balance: string }[];
    };
    const fresh = keyOf('fresh');
    expect(
      await submit([
        Operation.createAccount({ destination: fresh.publicKey(), startingBalance: '10' }),
        Operation.changeTrust({ asset: usdc, source: fresh.publicKey() }),
      ]),
    ).toMatchObject({ status: 400, codes: { transaction: 'tx_bad_auth' } });
    expect(
      await submit([Operation.createAccount({ destination: fresh.publicKey(), startingBalance: '10' })]),
    ).toMatchObject({ status: 200 });
    expect(await submit([pay('1', fresh.publicKey())])).toMatchObject({ codes: { operations: ['op_no_trust'] } });
    const sold = Operation.pathPaymentStrictSend({
      destination: ben.publicKey(),
      sendAsset: Asset.native(),
      sendAmount: '4',
      destAsset: usdc,
      destMin: '2',
      path: [],
    });
    expect(await submit([sold])).toMatchObject({ status: 200 });
    const after = (await node.get(`/accounts/${anna.publicKey()}`)).body as unknown as typeof before;
    const native = ({ balances }: typeof before): bigint =>
      BigInt(balances.find(({ asset_type: type }) => type === 'native')!.balance.replace('.', ''));
    // 10 and 4 XLM, and three fees.
    expect(native(before) - native(after)).toBe(140_000_000n + 300n);
  });

  it('finds a fee bump by both of its hashes, and says the one that was asked for', async () => {
    const inner = await signed([pay('1')]);
    const outer = TransactionBuilder.buildFeeBumpTransaction(
      SANDBOX_KEYS.get(SANDBOX_STELLAR_PAYER)!,
      '200',
      inner,
      STELLAR.networkPassphrase,
    );
    outer.sign(SANDBOX_KEYS.get(SANDBOX_STELLAR_PAYER)!);
    expect((await node.post('/transactions', xdrOf(outer))).status).toBe(200);
    for (const asked of [inner, outer].map((one) => one.hash().toString('hex'))) {
      const { body } = await node.get(`/transactions/${asked}`);
      expect(body).toMatchObject({
        id: asked,
        hash: asked,
        successful: true,
        fee_account: SANDBOX_STELLAR_PAYER,
        fee_bump_transaction: { hash: outer.hash().toString('hex') },
        inner_transaction: { hash: inner.hash().toString('hex') },
      });
      expect((await node.get(`/transactions/${asked}/operations?limit=200`)).body).toMatchObject({
        _embedded: { records: [{ transaction_hash: outer.hash().toString('hex') }] },
      });
    }
    expect((await node.get(`/transactions/${inner.hash().toString('hex').toUpperCase()}`)).status).toBe(400);
  });

  it('takes one without waiting, and the same one once', async () => {
    await node.hands.stall(true);
    const transaction = await signed([pay('1')]);
    const post = (): Promise<{ status: number; body: Record<string, unknown> }> =>
      node.post('/transactions_async', xdrOf(transaction));
    expect(await post()).toMatchObject({ status: 201, body: { tx_status: 'PENDING' } });
    expect(await post()).toMatchObject({ status: 409, body: { tx_status: 'DUPLICATE' } });
    expect((await node.get(`/transactions/${transaction.hash().toString('hex')}`)).status).toBe(404);
    await node.hands.mine(1);
    expect((await node.get(`/transactions/${transaction.hash().toString('hex')}`)).status).toBe(200);
    expect(await post()).toMatchObject({
      status: 400,
      body: { tx_status: 'ERROR', error_result_xdr: expect.any(String) },
    });
    await node.hands.stall(false);
    expect((await node.post('/transactions', 'AAAA')).status).toBe(400);
  });

  it('pages payments of an account by where they stand', async () => {
    const to = keyOf('paged').publicKey();
    for (const amount of ['1', '2', '3']) await node.hands.send({ payments: [{ asset: 'USDC', amount, to }] });
    await node.hands.send({ payments: [{ asset: 'USDC', amount: '4', to }], fails: true });
    const page = async (query: string): Promise<{ amount: string; paging_token: string; transaction?: unknown }[]> =>
      ((await node.get(`/accounts/${to}/payments?${query}`)).body as unknown as { _embedded: { records: never[] } })
        ._embedded.records;
    const [one, two] = await page('limit=2&join=transactions');
    expect([one!.amount, two!.amount]).toEqual(['1.0000000', '2.0000000']);
    expect(one!.transaction).toMatchObject({ memo_type: 'none' });
    expect((await page(`cursor=${two!.paging_token}`)).map(({ amount }) => amount)).toEqual(['3.0000000']);
    expect((await page('order=desc&limit=1'))[0]!.amount).toBe('3.0000000');
    expect((await page('include_failed=true')).at(-1)).toMatchObject({
      amount: '4.0000000',
      transaction_successful: false,
    });
    expect(await page('cursor=now')).toEqual([]);
    expect((await node.get(`/accounts/${to}/payments?limit=201`)).status).toBe(400);
  });

  it('answers after a new start as before, and never tells an older ledger', async () => {
    const to = keyOf('kept').publicKey();
    const sent = await node.hands.send({
      payments: [{ asset: 'USDC', amount: '5', to: muxedOf(to, '9'), kind: 'contract' }],
      memo: '420',
      feeBump: true,
    });
    if (!sent.ok) throw new Error(sent.error);
    const { ledger } = sent.value;
    const paths = [
      `/transactions/${sent.value.innerHash!}`,
      `/transactions/${sent.value.hash}/operations`,
      `/ledgers/${String(ledger)}`,
      `/accounts/${to}`,
      `/accounts/${to}/payments`,
    ];
    const before = await Promise.all(paths.map((path) => node.get(path)));
    const height = await node.hands.height();
    await node.restart();
    expect(await Promise.all(paths.map((path) => node.get(path)))).toEqual(before);
    expect(before[1]!.body).toMatchObject({
      _embedded: {
        records: [
          {
            type: 'invoke_host_function',
            asset_balance_changes: [
              { type: 'transfer', to, amount: '5.0000000', destination_muxed_id: '9', asset_code: 'USDC' },
            ],
          },
        ],
      },
    });
    expect(await node.hands.height()).toBeGreaterThanOrEqual(height);
  });

  it('stands still where it is told to, and has no reorganisations', async () => {
    await node.hands.stall(true);
    const height = await node.hands.height();
    const sent = await node.hands.transfer({ asset: 'USDC', amount: '1', to: ben.publicKey() });
    expect(sent).toMatchObject({ ok: true, value: { blockNumber: null } });
    expect(await node.hands.height()).toBe(height);
    await node.hands.stall(false);
    expect(await node.hands.transfer({ asset: 'USDC', amount: '1', to: ben.publicKey(), mine: false })).toMatchObject({
      ok: true,
      value: { blockNumber: expect.any(Number) },
    });
    expect(await node.hands.reorg()).toMatchObject({ ok: false });
  });

  it.each([
    [{ asset: 'DOGE', amount: '1', to: ben.publicKey() }, /^DOGE is no token of STELLAR/],
    [{ asset: 'USDC', amount: '1.12345678', to: ben.publicKey() }, /^the amount must be/],
    [{ asset: 'USDC', amount: '0', to: ben.publicKey() }, /^the amount must be/],
    [{ asset: 'USDC', amount: '1', to: 'GABC' }, /^the address GABC/],
    [{ asset: 'USDC', amount: '1', to: ben.publicKey(), memo: 'x'.repeat(29) }, /^the memo/],
  ])('refuses %j', async (transfer, why) => {
    expect(await node.hands.transfer(transfer)).toEqual({ ok: false, error: expect.stringMatching(why) });
  });
});

it('tells who asks too often, in the words of Horizon', async () => {
  const often = await startStellarNode({ mostASecond: 1 });
  const answers: Awaited<ReturnType<typeof often.get>>[] = [];
  // In sequence: parallel new connections sometimes failed on a busy machine.
  await until(
    async () => {
      answers.push(await often.get('/'));
      return answers.at(-1)?.status === 429;
    },
    { withinMs: 15_000, what: 'it was too often', everyMs: 1 },
  );
  expect(answers[0]).toMatchObject({ status: 200 });
  expect(answers.at(-1)).toMatchObject({
    type: expect.stringContaining('application/problem+json'),
    body: { type: 'https://stellar.org/horizon-errors/rate_limit_exceeded', status: 429 },
  });
  await often.stop();
}, 20_000);
