import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SANDBOX_STELLAR_FAKE_ISSUER, type StellarSend } from '@vuka/chains';
import {
  chainFact,
  dataOf,
  ledgerCheck,
  sandboxCommand,
  FIXTURE_WITHIN_MS,
  until,
  type Answer,
  type StatusRow,
} from '@vuka/testing';

import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';
import { codeOf, expectRefused, KES_RATE, Pays } from './pays.spec-support.js';
import { sideBySide } from './side-by-side.spec-support.js';
import { SolanaStranger } from './solana-attacks.spec-support.js';
import { describeVerdicts, type Verdict } from './verdicts.spec-support.js';

/** Search time here: longer than Solana's own time to finality. */
const SEARCH_MS = 20_000;
const GIVEN_UP_WITHIN_MS = 60_000;
const FAKE_MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const NOBODY_ON_SOLANA = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

let fixture: PayFixture;
let pays: Pays;

beforeAll(async () => {
  fixture = await openPayFixture({ chains: ['SOLANA', 'STELLAR'], env: { VUKA_TEST_SEARCH_MS: String(SEARCH_MS) } });
  pays = new Pays(fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

const paid = { end: ['COMPLETE', ''] } as const;
const nothing = { end: ['FAILED', 'no_matching_transfer'] } as const;
/** 8 tokens are 1,024.45. */
const SURPLUS = 2_445n;

const onSolana = (amount: string, more: { asset?: string; mine?: boolean } = {}): Promise<string> =>
  pays.deposit(amount, { chain: 'SOLANA', ...more });

/** A self-made transaction to our address; final at once. */
async function attack(how: (stranger: SolanaStranger, to: string) => Promise<string>): Promise<string> {
  const hash = await how(
    new SolanaStranger(fixture.solana(), chainFact('SOLANA').tokens[0]?.address ?? ''),
    await fixture.one.settlementAddress('SOLANA'),
  );
  await fixture.solana().mine(1 + chainFact('SOLANA').blocksOnTop[2]);
  return hash;
}

const SOLANA: readonly Verdict[] = [
  { what: 'more than the amount', send: () => onSolana('8'), ...paid, brought: SURPLUS },
  { what: 'the amount, to the unit', send: () => onSolana('7.809054'), body: { asset: 'USDC' }, ...paid },
  { what: 'too little', send: () => onSolana('7'), end: ['FAILED', 'underpaid'] },
  {
    what: 'another token than was named',
    send: () => onSolana('9', { asset: 'USDT' }),
    body: { asset: 'USDC' },
    end: ['FAILED', 'wrong_asset'],
  },
  { what: 'a token of another mint', send: () => onSolana('9', { asset: FAKE_MINT }), ...nothing },
  {
    what: 'tokens in another account of the same owner',
    send: () => attack((stranger, to) => stranger.toAnotherAccount(to, 9_000_000n)),
    ...nothing,
  },
  {
    what: 'a transfer to somebody else',
    send: () => fixture.transfer('SOLANA', { asset: 'USDC', amount: '9', to: NOBODY_ON_SOLANA }),
    ...nothing,
  },
  {
    what: 'a transaction that failed',
    send: () => attack((stranger, to) => stranger.failing(to, 9_000_000n)),
    end: ['FAILED', 'transfer_failed'],
  },
];

/** Pays as the first partner is asked to: muxed address, or account with memo. */
async function quoted(
  client = fixture.one,
): Promise<{ settlement_wallet_address: string; memo_address: string; memo: string }> {
  return client.quote('KES', { amount: 1000, chain: 'STELLAR', asset: 'USDC' });
}

async function sendOnStellar(send: StellarSend): Promise<{ hash: string; innerHash: string | null }> {
  const sent = await fixture.stellar().send(send);
  if (!sent.ok) throw new Error(sent.error);
  return sent.value;
}

async function toAccount(send: Partial<StellarSend> = {}, asset = 'USDC'): Promise<string> {
  const { memo_address: to, memo } = await quoted();
  return (await sendOnStellar({ payments: [{ asset, amount: '8', to }], memo: { type: 'id', value: memo }, ...send }))
    .hash;
}

async function toMuxed(
  kind: 'payment' | 'path' | 'contract' | 'claimable',
  send: Partial<StellarSend> = {},
): Promise<string> {
  const { settlement_wallet_address: to } = await quoted();
  return (await sendOnStellar({ payments: [{ asset: 'USDC', amount: '8', to, kind }], ...send })).hash;
}

const STELLAR: readonly Verdict[] = [
  { what: 'a payment to the muxed address', send: () => toMuxed('payment'), ...paid, brought: SURPLUS },
  { what: 'a payment to the account, with the memo', send: () => toAccount(), ...paid, brought: SURPLUS },
  {
    what: 'a payment that was made of something else on the way',
    send: () => toMuxed('path'),
    ...paid,
    brought: SURPLUS,
  },
  { what: 'a transfer by a contract', send: () => toMuxed('contract'), ...paid, brought: SURPLUS },
  {
    what: 'the amount, to the unit',
    send: () => pays.deposit('7.8090531', { chain: 'STELLAR' }),
    body: { asset: 'USDC' },
    ...paid,
  },
  { what: 'two payments in one transaction, one of them not ours', send: twoPayments, ...paid, brought: SURPLUS },
  { what: 'too little', send: () => pays.deposit('7', { chain: 'STELLAR' }), end: ['FAILED', 'underpaid'] },
  { what: 'a payment without a memo', send: async () => toAccount({ memo: '' }), ...nothing },
  {
    what: 'the memo as a text',
    send: async () => toAccount({ memo: { type: 'text', value: (await quoted()).memo } }),
    ...nothing,
  },
  {
    what: "another partner's memo",
    send: async () => toAccount({ memo: { type: 'id', value: (await quoted(fixture.two)).memo } }),
    ...nothing,
  },
  {
    what: "our address and another partner's memo",
    send: async () => toMuxed('payment', { memo: { type: 'id', value: (await quoted(fixture.two)).memo } }),
    ...nothing,
  },
  {
    what: 'the same code of another issuer',
    send: () => toAccount({}, `USDC:${SANDBOX_STELLAR_FAKE_ISSUER}`),
    ...nothing,
  },
  { what: 'a balance that is there to be claimed', send: () => toMuxed('claimable'), ...nothing },
  {
    what: 'a transaction that failed',
    send: () => toMuxed('payment', { fails: true }),
    end: ['FAILED', 'transfer_failed'],
  },
];

async function twoPayments(): Promise<string> {
  const [ours, theirs] = [await quoted(), await quoted(fixture.two)];
  const payments = [
    { asset: 'USDC', amount: '8', to: ours.settlement_wallet_address },
    { asset: 'USDC', amount: '500', to: theirs.settlement_wallet_address },
  ];
  return (await sendOnStellar({ payments })).hash;
}

describeVerdicts('a deposit on SOLANA of', SOLANA, () => fixture, 'SOLANA');
describeVerdicts('a deposit on STELLAR of', STELLAR, () => fixture, 'STELLAR');

describe('what a partner is told before', () => {
  it('is an owner on SOLANA, and a muxed address on STELLAR with account and memo beside it, others for another partner', async () => {
    const [ours, theirs] = [await quoted(), await quoted(fixture.two)];
    expect(ours).toMatchObject({
      settlement_wallet_address: expect.stringMatching(/^M[A-Z2-7]{68}$/),
      memo_address: expect.stringMatching(/^G[A-Z2-7]{55}$/),
      memo: expect.stringMatching(/^[1-9]\d*$/),
    });
    expect(theirs.memo_address).toBe(ours.memo_address);
    expect([theirs.settlement_wallet_address, theirs.memo]).not.toEqual([ours.settlement_wallet_address, ours.memo]);
    expect(await fixture.one.settlementAddress('STELLAR')).toBe(ours.settlement_wallet_address);
    const owners = [await fixture.one.settlementAddress('SOLANA'), await fixture.two.settlementAddress('SOLANA')];
    expect(new Set(owners).size).toBe(2);
    for (const owner of owners) expect(owner).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect(await fixture.one.quote('KES', { amount: 1000, chain: 'SOLANA', asset: 'USDC' })).toMatchObject({
      settlement_wallet_address: owners[0],
      memo_address: '',
      memo: '',
    });
  });
});

const rowOf = async (hash: string): Promise<StatusRow> =>
  dataOf<StatusRow>(await fixture.one.send({ path: '/account/ke/transaction', body: { transaction_hash: hash } }));

/** Blocks made by one test would speed up another; those that need Solana's own pace run after all others have sent. */
sideBySide(
  'a transaction by another name',
  [
    {
      'on SOLANA has one spelling: in the name of the chain alone it can be claimed again, and is refused':
        async () => {
          const hash = await onSolana('8');
          const code = await pays.claim(hash, { chain: 'solana' });
          for (const chain of ['SOLANA', 'Solana']) expectNamed(await pays.ask(hash, { chain }), code);
          await pays.ended(code, 'COMPLETE');
          expectNamed(await pays.ask(hash, { chain: 'SOLANA' }), code);
          // Nothing may be put before or after it.
          for (const other of [`1${hash}`, `${hash}0`])
            expectRefused(await pays.ask(other, { chain: 'SOLANA' }), 400, 'invalid_request');
          expect((await rowOf(hash)).transaction_code).toBe(code);
        },
    },
    {
      'on STELLAR in capital letters is refused at once': async () => {
        const hash = await toMuxed('payment');
        const code = await pays.claim(hash.toUpperCase(), { chain: 'stellar' });
        expectNamed(await pays.ask(hash, { chain: 'STELLAR' }), code);
        expect(await pays.ended(code, 'COMPLETE')).toMatchObject({ transaction_hash: hash });
        expectNamed(await pays.ask(hash.toUpperCase(), { chain: 'STELLAR' }), code);
      },
    },
    {
      'on STELLAR a fee bump pays once: its inner hash is paid, the other one has been processed': () =>
        bumped('inner'),
    },
    {
      'on STELLAR a fee bump pays once: its outer hash is paid, the other one has been processed': () =>
        bumped('outer'),
    },
    {
      'on STELLAR both names of a fee bump at once pay once': async () => {
        const { settlement_wallet_address: to } = await quoted();
        const { hash, innerHash } = await sendOnStellar({
          payments: [{ asset: 'USDC', amount: '8', to }],
          feeBump: true,
        });
        const answers = await Promise.all([hash, innerHash ?? ''].map((name) => pays.ask(name, { chain: 'STELLAR' })));
        const codes = answers.filter(({ status }) => status === 200).map(codeOf);
        const rows = await Promise.all(
          codes.map((code) =>
            until(
              async () => {
                const row = await fixture.one.status(code);
                return row !== null && /COMPLETE|FAILED/.test(row.status) && row;
              },
              { withinMs: 60_000, what: `${code} has ended`, everyMs: 100 },
            ),
          ),
        );
        expect(rows.filter(({ status }) => status === 'COMPLETE')).toHaveLength(1);
        for (const row of rows.filter(({ status }) => status !== 'COMPLETE'))
          expect(row).toMatchObject({ status: 'FAILED', failure_code: 'hash_already_processed' });
      },
    },
    { "that is another partner's, on SOLANA, pays us nothing, and stays its own": () => stolen('SOLANA') },
    { "that is another partner's, on STELLAR, pays us nothing, and stays its own": () => stolen('STELLAR') },
    {
      'that an operator types on SOLANA is paid': async () =>
        typed('SOLANA', await fixture.one.settlementAddress('SOLANA')),
    },
    {
      'that an operator types on STELLAR is paid': async () => {
        const { memo_address: account, memo } = await quoted();
        await typed('STELLAR', account, '--memo', memo);
      },
    },
  ],
  90_000,
);

async function bumped(first: 'inner' | 'outer'): Promise<void> {
  const { settlement_wallet_address: to } = await quoted();
  const { hash, innerHash } = await sendOnStellar({ payments: [{ asset: 'USDC', amount: '8', to }], feeBump: true });
  const [one = '', other = ''] = first === 'outer' ? [hash, innerHash ?? ''] : [innerHash ?? '', hash];
  await pays.ended(await pays.claim(one, { chain: 'STELLAR' }), 'COMPLETE');
  await expectProcessed(await pays.ask(other, { chain: 'STELLAR' }));
}

async function stolen(chain: string): Promise<void> {
  const hash = await pays.deposit('8', { chain, client: fixture.two });
  expect(await pays.ended(await pays.claim(hash, { chain }), 'FAILED', fixture.one, GIVEN_UP_WITHIN_MS)).toMatchObject({
    failure_code: 'no_matching_transfer',
    rate: '',
    amount_in_usd: '0.00',
  });
  await pays.ended(await pays.claim(hash, { chain }, fixture.two), 'COMPLETE', fixture.two);
}

async function typed(chain: string, to: string, ...more: readonly string[]): Promise<void> {
  const lines = await sandboxCommand(
    fixture.vuka,
    'transfer',
    '--chain',
    chain,
    '--asset',
    'USDC',
    '--amount',
    '8',
    '--to',
    to,
    ...more,
  );
  await pays.ended(await pays.claim(lines.at(-1) ?? '', { chain }), 'COMPLETE');
}

function expectNamed(answer: Answer, code: string): void {
  expectRefused(answer, 409, 'hash_already_processed');
  expect(answer.headers['transaction-code']).toBe(code);
}

/** Immediately, or when the transfer is found. */
async function expectProcessed(answer: Answer): Promise<void> {
  if (answer.status !== 200) return void expectRefused(answer, 409, 'hash_already_processed');
  expect(await pays.ended(codeOf(answer), 'FAILED')).toMatchObject({ failure_code: 'hash_already_processed' });
}

let droppedCode = '';

/** The dropped one is searched for while the other one waits. */
sideBySide(
  'a chain at its own pace',
  [
    {
      'on SOLANA may drop what is seen and not final': async () => {
        await fixture.solana().stallFinality(true);
        const hash = await onSolana('8', { mine: false });
        droppedCode = await pays.claim(hash, { chain: 'SOLANA' });
        await pays.ended(droppedCode, 'PROCESSING');
        await fixture.solana().drop(hash);
        await fixture.solana().stallFinality(false);
      },
      'on SOLANA makes final what is seen, waits for that, and is paid': async () => {
        const code = await pays.claim(await onSolana('8', { mine: false }), { chain: 'SOLANA' });
        await pays.ended(code, 'PROCESSING');
        await pays.ended(code, 'COMPLETE');
      },
      'on SOLANA pays nothing by what was dropped': async () => {
        expect(await pays.ended(droppedCode, 'FAILED', fixture.one, GIVEN_UP_WITHIN_MS)).toMatchObject({
          failure_code: 'no_matching_transfer',
          rate: '',
        });
      },
    },
    { 'STELLAR is there again when its node was killed, on its port, with all that it knew': () => killed('STELLAR') },
  ],
  90_000,
);

async function killed(chain: string): Promise<void> {
  const url = fixture.vuka.chainUrls.get(chain);
  const hash = await pays.deposit('8', { chain });
  await fixture.killNode(chain);
  expect(fixture.vuka.chainUrls.get(chain)).toBe(url);
  expect(await pays.ended(await pays.claim(hash, { chain }), 'COMPLETE')).toMatchObject({ rate: KES_RATE });
}

it(
  'SOLANA is there again when its node was killed, on its port, with all that it knew',
  () => killed('SOLANA'),
  90_000,
);

describe('seen from outside', () => {
  it('each deposit is in one place, to the cent, and the ledger agrees', async () => {
    expect((await fixture.checker.expectSound({ everyWebhook: true })).incomingTransfers).toBeGreaterThan(20);
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
  }, 240_000);
});
