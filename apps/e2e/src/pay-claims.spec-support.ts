import { beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf, type Answer, type PayBody, type StatusRow } from '@vuka/testing';

import type { PayFixture } from './pay-fixture.spec-support.js';
import { codeOf, expectRefused, Pays } from './pays.spec-support.js';
import { sideBySide, type Track } from './side-by-side.spec-support.js';

const NOBODY = '0x2222222222222222222222222222222222222222';
const RACERS = 20;
const CLAIMED_WITHIN_MS = 90_000;

let fixture: PayFixture;
let pays: Pays;

const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';
const upper = (hash: string): string => `0x${hash.slice(2).toUpperCase()}`;
const SPELLINGS: readonly [string, (hash: string) => string, string][] = [
  ['as it is', (hash) => hash, 'BNB'],
  ['in capital letters', upper, 'bnb'],
  ['with a capital X', (hash) => hash.replace('0x', '0X'), 'BSC'],
  ['without 0x', (hash) => hash.slice(2), 'BINANCE'],
  ['without 0x, in capital letters', (hash) => hash.slice(2).toUpperCase(), 'Binance'],
];

/** Start with those that send twenty at once: together they would overload a busy machine. */
const tracks = (): readonly Track[] => [
  {
    'a hash claimed by twenty at once is one payment': async () => {
      const raced = await pays.deposit('8');
      const answers = await Promise.all(
        Array.from({ length: RACERS }, (_, index) =>
          pays.ask(SPELLINGS[index % SPELLINGS.length]?.[1](raced) ?? '', {
            chain: index % 2 === 0 ? 'CELO' : '',
            reference: `race-${index}`,
          }),
        ),
      );
      const [first, ...others] = answers.filter(({ status }) => status === 200);
      if (first === undefined) throw new Error('nobody was accepted');
      expect(others).toEqual([]);
      for (const answer of answers.filter((one) => one !== first)) {
        expectRefused(answer, 409, 'hash_already_processed');
        expect(answer.headers['transaction-code']).toBe(codeOf(first));
      }
      await pays.ended(codeOf(first), 'COMPLETE');
    },
    'a quote asked for by twenty at once is used by one': async () => {
      const quote = await fixture.one.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' });
      const hashes = await Promise.all(
        Array.from({ length: RACERS }, () => pays.deposit(quote.asset_amount, { mine: false })),
      );
      await pays.celo.mineToFinality();
      const answers = await Promise.all(hashes.map((hash) => pays.ask(hash, { quote_id: quote.quote_id })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 409, 'quote_used');
      await pays.ended(codeOf(answers.find(({ status }) => status === 200) as Answer), 'COMPLETE');
    },
    'a repeat by its Idempotency-Key is answered as before, under one code of ours': async () => {
      const hash = await pays.deposit('8');
      const body = pays.body(hash);
      const answers = await Promise.all(
        Array.from({ length: RACERS }, () => fixture.one.pay('KES', body, { 'idempotency-key': 'pay-key-1' })),
      );
      const codes = new Set(answers.filter(({ status }) => status === 200).map(codeOf));
      expect(codes.size).toBe(1);
      expect(
        answers
          .filter(({ status, headers }) => status !== 200 && headers['error-code'] !== 'request_in_progress')
          .map(({ text }) => text),
      ).toEqual([]);
      await pays.ended([...codes][0] ?? '', 'COMPLETE');
      const again = await fixture.one.pay('KES', body, { 'idempotency-key': 'pay-key-1' });
      expect([again.status, isReplay(again), codeOf(again)]).toEqual([200, true, [...codes][0]]);
      expectRefused(
        await fixture.one.pay('KES', { ...body, amount: 1001 }, { 'idempotency-key': 'pay-key-1' }),
        422,
        'idempotency_mismatch',
      );
    },
  },
  {
    "a hash of another partner's transfer pays nothing, is told as one that is nobody's, and stays its own":
      async () => {
        const theirs = await pays.deposit('8', { client: fixture.two });
        const nobodys = await fixture.chain('CELO').transfer({ asset: 'USDC', amount: '8', to: NOBODY });
        const codes = [await pays.claim(theirs), await pays.claim(nobodys)] as const;
        const [stolen, lost] = [await pays.ended(codes[0], 'FAILED'), await pays.ended(codes[1], 'FAILED')];
        const same = (row: StatusRow): object => ({
          ...row,
          id: 0,
          transaction_code: '',
          transaction_hash: '',
          shortcode: '',
          created_at: '',
          updated_at: '',
        });
        expect(same(stolen)).toEqual(same(lost));
        expect(stolen).toMatchObject({ failure_code: 'no_matching_transfer', rate: '', amount_in_usd: '0.00' });
        await pays.ended(await pays.claim(theirs, {}, fixture.two), 'COMPLETE', fixture.two);
        // Once its owner has used it, another partner gets this.
        expectRefused(await pays.ask(theirs), 409, 'hash_already_processed');
      },
    'a hash names a transfer on the chain that is named, and no other is looked at': async () => {
      const onPolygon = await pays.deposit('8', { chain: 'POLYGON' });
      const paid = await pays.claim(onPolygon, { chain: 'MATIC' });
      await pays.ended(paid, 'COMPLETE');
      const elsewhere = await fixture.one.send({ path: '/v1/pay', body: { ...pays.body(onPolygon), chain: 'SOLANA' } });
      expectRefused(elsewhere, 400, 'invalid_request');
    },
    'a quote is for one payment, for what it was given for, and for whom': async () => {
      const [quote, other] = [
        await fixture.one.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' }),
        await fixture.one.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' }),
      ];
      const hash = await pays.deposit(quote.asset_amount);
      const under = (more: Partial<PayBody>): Promise<Answer> => pays.ask(hash, { quote_id: quote.quote_id, ...more });
      for (const change of [{ amount: 1001 }, { chain: 'POLYGON' }, { asset: 'USDT' }])
        expectRefused(await under(change), 409, 'quote_mismatch');
      expectRefused(await pays.ask(hash, { quote_id: quote.quote_id }, fixture.two), 404, 'not_found');
      const code = codeOf(await under({ reference: 'quoted-1' }));
      expectRefused(await pays.ask(await pays.deposit('8'), { quote_id: quote.quote_id }), 409, 'quote_used');
      await pays.ended(code, 'COMPLETE');
      expectRefused(
        await pays.ask(await pays.deposit('8'), { quote_id: quote.quote_id.toUpperCase() }),
        409,
        'quote_used',
      );
      expect(await fixture.one.status(code)).toMatchObject({ quote_id: quote.quote_id });
      expect(other.quote_id).not.toBe(quote.quote_id);
    },
  },
  {
    'a repeat by its reference is answered as before, while it waits and when it has ended, and pays once':
      async () => {
        const quote = await fixture.one.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' });
        const hash = await pays.deposit(quote.asset_amount);
        const body = pays.body(hash, { reference: 'again-pay', quote_id: quote.quote_id });
        const first = await fixture.one.pay('KES', body);
        // Another spelling of the same body counts as the same.
        const early = await fixture.one.pay('KES', { ...body, amount: '1000.00', extra: true } as PayBody, {}, '');
        await pays.ended('again-pay', 'COMPLETE');
        const late = await fixture.one.pay('KES', body);
        expect(
          [first, early, late].map((answer) => [answer.status, isReplay(answer), answer.text === first.text]),
        ).toEqual([
          [200, false, true],
          [200, true, true],
          [200, true, true],
        ]);
      },
    'a repeat of a reference with another body is refused, and names the transaction': async () => {
      const body = pays.body(await pays.deposit('8'), { reference: 'other-body' });
      await pays.ended(codeOf(await fixture.one.pay('KES', body)), 'COMPLETE');
      for (const change of [
        { amount: 1001 },
        { transaction_hash: `0x${'cd'.repeat(32)}` },
        { chain: 'BNB' },
        { asset: 'USDC' },
        { refund_address: NOBODY },
      ]) {
        const answer = await fixture.one.pay('KES', { ...body, ...change });
        expectRefused(answer, 409, 'reference_reused');
        expect(answer.headers['transaction-code']).toBe('other-body');
      }
    },
    'a repeat shares its references with payouts from the wallet': async () => {
      const hash = await pays.deposit('8');
      const body = pays.body(hash, { reference: 'shared-1' });
      await pays.ended(codeOf(await fixture.one.pay('KES', body)), 'COMPLETE');
      const { transaction_hash: _, ...fields } = body;
      expectRefused(await fixture.one.disburse('KES', fields), 409, 'reference_reused');
    },
  },
];

/** What may be claimed, by whom and how often. Needs CELO, BNB and POLYGON. */
export function describeClaims(at: () => PayFixture): void {
  beforeAll(() => {
    fixture = at();
    pays = new Pays(fixture);
  });

  describe('a hash', () => {
    let hash: string;
    let code: string;

    beforeAll(async () => {
      hash = await pays.deposit('8', { asset: 'USDT', chain: 'BNB' });
      code = await pays.claim(upper(hash).slice(2), { chain: 'bsc', reference: 'first-claim' });
    }, 30_000);

    it.each(SPELLINGS)(
      '%s is refused at once when it has been claimed, naming the transaction',
      async (_, spell, chain) => {
        const answer = await pays.ask(spell(hash), { chain });
        expect(expectRefused(answer, 409, 'hash_already_processed')).toMatch(/already been processed/);
        expect(answer.headers['transaction-code']).toBe(code);
      },
    );

    it.each(SPELLINGS)(
      '%s is still refused when it has been paid, and finds its transaction',
      async (_, spell, chain) => {
        await pays.ended(code, 'COMPLETE');
        expectRefused(await pays.ask(spell(hash), { chain }), 409, 'hash_already_processed');
        const row = dataOf<StatusRow>(
          await fixture.one.send({ path: '/account/ke/transaction', body: { transaction_hash: spell(hash) } }),
        );
        expect([row.transaction_code, row['transaction_hash']]).toEqual([code, hash]);
      },
    );
  });

  describe('a request that is refused', () => {
    const hash = `0x${'ab'.repeat(32)}`;

    it.each<[string, Partial<PayBody>, number, string, RegExp]>([
      ['on a chain nobody knows', { chain: 'DOGE' }, 400, 'unsupported_network', /chain/],
      [
        'by a token that does not count there',
        { asset: 'PYUSD' },
        400,
        'unsupported_network',
        /asset must be one of USDC, USDT, CUSD/,
      ],
      ['by a token in other letters', { asset: 'USDM' }, 400, 'unsupported_network', /asset/],
      ['by a hash that is none', { transaction_hash: '0x12' }, 400, 'invalid_request', /transaction_hash/],
      ['without a hash', { transaction_hash: '' }, 400, 'invalid_request', /transaction_hash/],
      ['with a refund to no address', { refund_address: '0x12' }, 400, 'invalid_request', /refund_address/],
      ['with a quote that is none', { quote_id: 'mine' }, 400, 'invalid_request', /quote_id/],
      ['with a quote of nobody', { quote_id: '01902a3b-0000-7000-8000-000000000000' }, 404, 'not_found', /quote/],
      ['for too little', { amount: 19 }, 400, 'amount_out_of_range', /^The amount field must be at least 20/],
      ['with a markup that leaves nothing', { fee: 1000 }, 400, 'invalid_request', /fee/],
    ])('%s consumes nothing', async (_, change, status, errorCode, message) => {
      const reference = `refused-${errorCode}-${status}`;
      expect(expectRefused(await pays.ask(hash, { ...change, reference }), status, errorCode)).toMatch(message);
      expect(await fixture.one.status(reference)).toBeNull();
    });
  });

  sideBySide('a claim', tracks(), CLAIMED_WITHIN_MS);
}
