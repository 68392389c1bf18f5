import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CHAIN_FACTS,
  dataOf,
  destinationIn,
  drawn,
  ledgerCheck,
  minorOf,
  ProviderBooks,
  recipientText,
  sandboxCommand,
  FIXTURE_WITHIN_MS,
  tokenNamed,
  until,
  worthOf,
  type DestinationKind,
  type DisburseTo,
  type PayBody,
  type Quote,
  type StatusRow,
} from '@vuka/testing';

import { describeApart, SENT_BACK_APART } from './pay-apart.spec-support.js';
import { describeClaims } from './pay-claims.spec-support.js';
import { describeRefunds, SENT_BACK } from './pay-refunds.spec-support.js';
import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';

interface Stop {
  readonly chain: string;
  readonly currency: string;
  readonly kind: DestinationKind;
  readonly asset: string;
  readonly amount: string;
  readonly fee?: string;
  readonly by?: 'one' | 'two';
  readonly send?: string;
  readonly paid: string;
  readonly text: string;
}

const STOPS: readonly Stop[] = [
  {
    chain: 'CELO',
    currency: 'KES',
    kind: 'mobile',
    asset: 'USDC',
    amount: '1000',
    fee: '25',
    send: '8',
    paid: '975.00',
    text: '1000.00',
  },
  { chain: 'BASE', currency: 'UGX', kind: 'mobile', asset: 'USDC', amount: '20000', paid: '20000', text: '20000' },
  {
    chain: 'POLYGON',
    currency: 'NGN',
    kind: 'bank',
    asset: 'USDT',
    amount: '500000.5',
    fee: '100.25',
    paid: '499900.25',
    text: '500000.50',
  },
  {
    chain: 'ETHEREUM',
    currency: 'GHS',
    kind: 'mobile',
    asset: 'USDT',
    amount: '500',
    send: '50',
    paid: '500.00',
    text: '500.00',
  },
  { chain: 'BNB', currency: 'MWK', kind: 'bank', asset: 'USDT', amount: '50000', paid: '50000.00', text: '50000.00' },
  {
    chain: 'AVALANCHE',
    currency: 'CDF',
    kind: 'mobile',
    asset: 'USDC',
    amount: '250000',
    fee: '1000',
    send: '2500.000001',
    paid: '249000.00',
    text: '250000.00',
  },
  {
    chain: 'ARBITRUM',
    currency: 'ETB',
    kind: 'mobile',
    asset: 'USDT',
    amount: '1500.25',
    send: '10',
    paid: '1500.25',
    text: '1500.25',
  },
  {
    chain: 'SOLANA',
    currency: 'KES',
    kind: 'mobile',
    asset: 'USDT',
    amount: '2000',
    fee: '10',
    by: 'two',
    paid: '1990.00',
    text: '2000.00',
  },
  {
    chain: 'STELLAR',
    currency: 'NGN',
    kind: 'bank',
    asset: 'USDC',
    amount: '25000',
    by: 'two',
    send: '20.0000001',
    paid: '25000.00',
    text: '25000.00',
  },
];
/** EVM chains differ by their number and tokens alone. A commit's run goes to one besides those that others name. */
const NAMED = ['CELO', 'BNB', 'POLYGON', 'SOLANA', 'STELLAR'];
const OTHERS = drawn(
  'other chains of the tour',
  STOPS.filter(({ chain }) => !NAMED.includes(chain)),
  1,
);
const TOUR = STOPS.filter((stop) => NAMED.includes(stop.chain) || OTHERS.includes(stop));
const COMPLETE_WITHIN_MS = 60_000;
interface Went {
  readonly code: string;
  readonly hash: string;
  readonly rate: string;
  readonly quote: Quote | null;
  readonly to: DisburseTo;
  readonly row: StatusRow;
}

let fixture: PayFixture;
let before: Record<'one' | 'two', Map<string, bigint>>;
const trips = new Map<string, Promise<Went>>();

beforeAll(async () => {
  fixture = await openPayFixture({ chains: TOUR.map(({ chain }) => chain) });
  before = { one: await fixture.one.wallets(), two: await fixture.two.wallets() };
  for (const stop of TOUR) {
    const trip = travel(stop);
    trip.catch(() => undefined);
    trips.set(stop.chain, trip);
  }
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

async function travel({ chain, currency, kind, asset, amount, fee, send, by = 'one' }: Stop): Promise<Went> {
  const { [by]: client, receiver } = fixture;
  const to = destinationIn(currency, kind);
  const quote = send === undefined ? await client.quote(currency, { amount, chain, asset }) : null;
  const rate = quote === null ? await client.buyingRate(currency) : String(quote.rate);
  const address = quote?.settlement_wallet_address ?? (await client.settlementAddress(chain));
  const hash = await fixture.transfer(chain, { asset, amount: send ?? quote?.asset_amount ?? '', to: address });
  const body: PayBody = {
    ...to,
    amount,
    transaction_hash: hash,
    chain,
    callback_url: receiver.url('/hook?x=1+2'),
    ...(fee && { fee }),
    ...(quote && { quote_id: quote.quote_id }),
  };
  const answer = await client.pay(currency, body);
  const {
    transaction_code: code,
    status,
    message,
  } = dataOf<{ transaction_code: string; status: string; message: string }>(answer);
  expect([status, message, answer.headers['transaction-code']]).toEqual(['PENDING', expect.stringMatching(/\S/), code]);
  const row = await until(
    async () => {
      const now = await client.status(code);
      return now?.status === 'COMPLETE' && now;
    },
    { withinMs: COMPLETE_WITHIN_MS, what: `${chain} into ${currency} is COMPLETE`, everyMs: 100 },
  );
  await receiver.waitForFinal(code, 60_000);
  return { code, hash, rate, quote, to, row };
}

function stopOf(chain: string): Promise<Went> {
  return trips.get(chain) ?? Promise.reject(new Error(`nobody went to ${chain}`));
}

describe.each(TOUR)('a deposit of $asset on $chain into $currency', (stop) => {
  const { chain, currency, asset, amount, fee = '0', send, by = 'one', paid, text } = stop;

  it(
    'is COMPLETE with receipt and name, and its row says what it was paid by',
    async () => {
      const { hash, quote, rate, row, to } = await stopOf(chain);
      expect(row).toMatchObject({
        status: 'COMPLETE',
        amount: text,
        currency_code: currency,
        public_name: 'TEST 7890',
        receipt_number: expect.stringMatching(/^\S+$/),
        is_released: true,
        category: 'DISBURSEMENT',
        chain,
        asset,
        transaction_hash: hash,
        quote_id: quote?.quote_id ?? '',
        refund: '',
        failure_code: '',
        amount_in_usd: expect.stringMatching(/^\d+\.\d\d$/),
      });
      expect([Number(row['rate']), minorOf(row.fee, currency), minorOf(row.service_fee, currency)]).toEqual([
        Number(rate),
        minorOf(fee, currency),
        0n,
      ]);
      expect([row.shortcode, row.account_number ?? undefined]).toEqual([to.shortcode ?? '', to.account_number]);
    },
    COMPLETE_WITHIN_MS + 10_000,
  );

  it('paid its recipient, once, what it had to', async () => {
    const { row, to } = await stopOf(chain);
    const book = await new ProviderBooks(fixture.vuka).entries();
    const payments = book.filter(
      (entry) =>
        entry.status === 'PAID' &&
        recipientText(entry.recipient) === recipientText({ ...to, shortcode: to.shortcode ?? '' }),
    );
    expect(payments.map(({ amount: sum, currency: of, receipt }) => [minorOf(sum, currency), of, receipt])).toEqual([
      [minorOf(paid, currency), currency, row.receipt_number],
    ]);
  });

  it('left markup and surplus in the wallet, to the cent', async () => {
    const { quote, rate } = await stopOf(chain);
    const token = tokenNamed(chain, asset);
    if (token === undefined) throw new Error(`${asset} is not accepted on ${chain}`);
    const [whole = '', fraction = ''] = (send ?? quote?.asset_amount ?? '').split('.');
    const received = BigInt(whole + fraction.padEnd(token.decimals, '0'));
    const worth = worthOf({ received, token }, rate, currency);
    const surplus = worth - minorOf(amount, currency);
    expect(surplus).toBeGreaterThanOrEqual(0n);
    expect((await fixture[by].wallets()).get(currency)).toBe(
      (before[by].get(currency) ?? 0n) + surplus + minorOf(fee, currency),
    );
  });

  it('was told by two signed webhooks, in order', async () => {
    const { code, row } = await stopOf(chain);
    const hooks = fixture.receiver.of(code);
    expect(hooks.map(({ sequence, event, partner, path }) => [sequence, event, partner, path])).toEqual([
      [1, 'transaction.processing', fixture[by].partner.id, '/hook?x=1+2'],
      [2, 'transaction.complete', fixture[by].partner.id, '/hook?x=1+2'],
    ]);
    expect(hooks[1]?.payload).toEqual({
      status: 'COMPLETE',
      transaction_code: code,
      message: row.message,
      receipt_number: row.receipt_number,
      public_name: 'TEST 7890',
    });
  });
});

describe('what a partner is told before', () => {
  it('is one address for all chains of a family, separate for each partner, with the accepted contracts', async () => {
    const networks = dataOf<
      {
        name: string;
        settlement_wallet_address: string;
        checkout_status: boolean;
        assets: { name: string; contract_address: string }[];
      }[]
    >(await fixture.one.send({ path: '/account/networks' }));
    const served = networks.filter(({ settlement_wallet_address: address }) => address !== '');
    expect(STOPS.map(({ chain }) => chain).sort()).toEqual(Object.keys(CHAIN_FACTS).sort());
    expect(served.map(({ name }) => name).sort()).toEqual(TOUR.map(({ chain }) => chain).sort());
    const ofEvm = served
      .filter(({ name }) => CHAIN_FACTS[name]?.family === 'evm')
      .map(({ settlement_wallet_address: address }) => address);
    expect(new Set(ofEvm).size).toBe(1);
    for (const { name, assets } of served) {
      expect(new Map(assets.map((asset) => [asset.name, asset.contract_address]))).toEqual(
        new Map(CHAIN_FACTS[name]?.tokens.map(({ symbol, address }) => [symbol, address])),
      );
    }
    const addresses = [await fixture.one.settlementAddress('CELO'), await fixture.two.settlementAddress('CELO')];
    expect(addresses).toEqual([ofEvm[0], expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)]);
    expect(new Set(addresses).size).toBe(2);
  });

  it('a quote keeps its promise: the amount to send covers the payout exactly', async () => {
    for (const { chain, currency, asset } of TOUR.filter(({ send }) => send === undefined)) {
      const { quote } = await stopOf(chain);
      const token = tokenNamed(chain, asset);
      if (quote === null || token === undefined) throw new Error('no quote');
      const received = BigInt(quote.asset_amount.replace('.', ''));
      expect(quote.asset_amount.split('.')[1]).toHaveLength(token.decimals);
      expect(worthOf({ received, token }, String(quote.rate), currency)).toBeGreaterThanOrEqual(
        minorOf(quote.amount, currency),
      );
      expect(worthOf({ received: received - 1n, token }, String(quote.rate), currency)).toBeLessThan(
        minorOf(quote.amount, currency),
      );
      expect(quote).toMatchObject({
        expires_in: 300,
        memo: '',
        memo_address: '',
        amount_in_usd: expect.stringMatching(/^\d+\.\d\d$/),
      });
      expect(Date.parse(quote.expires_at)).toBeGreaterThan(Date.now());
    }
  });

  it('a transfer sent as an operator types it is paid for, without a chain or a currency in the request', async () => {
    const { one, receiver, vuka } = fixture;
    const lines = await sandboxCommand(
      vuka,
      'transfer',
      '--chain',
      'CELO',
      '--asset',
      'USDT',
      '--amount',
      '12.5',
      '--to',
      await one.settlementAddress('CELO'),
    );
    const body = {
      ...destinationIn('KES', 'till'),
      amount: 1600,
      transaction_hash: lines.at(-1) ?? '',
      callback_url: receiver.url(),
    };
    const { transaction_code: code } = dataOf<{ transaction_code: string }>(await one.pay('KES', body, {}, ''));
    await receiver.waitForFinal(code, COMPLETE_WITHIN_MS);
    expect(await one.status(code, 'KES')).toMatchObject({
      status: 'COMPLETE',
      chain: 'CELO',
      asset: 'USDT',
      amount: '1600.00',
    });
    expect(
      dataOf<StatusRow>(await one.send({ path: '/account/ke/transaction', body: { transaction_hash: lines.at(-1) } }))
        .transaction_code,
    ).toBe(code);
  }, 60_000);
});

describe('seen from outside', () => {
  it('everything is sound and reported so far: each transfer pays for one thing', async () => {
    expect(await fixture.checker.expectSound({ everyWebhook: true })).toMatchObject({
      transactions: TOUR.length + 1,
      incomingTransfers: TOUR.length + 1,
    });
  }, 240_000);
});

describeClaims(() => fixture);
describeRefunds(() => fixture);
describeApart(() => fixture);

describe('in the end', () => {
  it('each deposit is in one place, to the cent, nothing has left the wallets but what went back, and the ledger agrees', async () => {
    const { incomingTransfers, sentBack } = await fixture.checker.expectSound();
    expect(incomingTransfers).toBe(fixture.transfers() + 1);
    expect(sentBack).toBe(SENT_BACK + SENT_BACK_APART);
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
  }, 240_000);
});
