import { randomInt } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { atDepth, drawn, eachOf, ledgerCheck, FIXTURE_WITHIN_MS, until, type ApiClient } from '@vuka/testing';

import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';
import { Refunds } from './refunds.spec-support.js';
import { Dealer, dice, MovingRates, NOBODY, priced, wholeOf, type Dealt } from './pay-conservation.spec-support.js';

const ROUNDS = atDepth({ commit: 2, whole: 5 });
const DEPOSITS = atDepth({ commit: 50, whole: 200 });
const AT_ONCE = 16;
const EVM_CHAINS = ['CELO', 'BNB'];
const OTHER_CHAINS = ['SOLANA', 'STELLAR'];
const CHAINS = [...EVM_CHAINS, ...OTHER_CHAINS];
/** Repeats what partners do, but not the machine's timing. */
const SEED = Number(process.env['VUKA_TEST_DEALS_SEED'] ?? randomInt(1_000_000));

let fixture: PayFixture;
let rates: MovingRates;
let dealer: Dealer;
let beyond = 0;
/** From the round before: asked back while the next claims come. */
let toAskBack: readonly (readonly [Dealt, string])[] = [];
const random = dice(SEED);

beforeAll(async () => {
  rates = await MovingRates.start(random);
  fixture = await openPayFixture({
    chains: CHAINS,
    env: { VUKA_TEST_SEARCH_MS: '60000', UNAPPLIED_POLICY: 'keep', RATES_URL: rates.url, LOG_LEVEL: 'warn' },
  });
  await fixture.stellar().hold({ account: NOBODY.stellar, asset: 'USDC', amount: '0' });
  const addresses = new Map(
    await Promise.all(fixture.clients.map(async (client) => [client, await addressesOf(client)] as const)),
  );
  dealer = new Dealer(random, addresses, fixture.receiver.url());
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await fixture.end();
  await rates.stop();
}, 60_000);

async function addressesOf(client: ApiClient): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await Promise.all(CHAINS.map(async (chain) => [chain, await client.settlementAddress(chain)] as const)),
  );
}

async function send(dealt: readonly Dealt[]): Promise<ReadonlyMap<Dealt, string>> {
  const hashes = new Map<Dealt, string>();
  for (const deal of dealt.filter(({ chain }) => OTHER_CHAINS.includes(chain)))
    hashes.set(deal, await fixture.transfer(deal.chain, { asset: deal.asset, amount: wholeOf(deal), to: deal.to }));
  for (const name of EVM_CHAINS) {
    const here = dealt.filter(({ chain }) => chain === name);
    const sent = await fixture.chain(name).transferAll(here);
    sent.forEach((hash, index) => hashes.set(here[index] as Dealt, hash));
    await fixture.chain(name).mineToFinality();
  }
  return hashes;
}

/** Repeats open requests; a second claim of the same transfer may win meanwhile. */
async function sendOpenOnesAgain(): Promise<void> {
  for (const client of fixture.clients) {
    const open = client.sent.filter(({ outcome }) => outcome === 'open');
    await eachOf(open, AT_ONCE, async (payout) => {
      const { status, headers } = await until(
        async () => {
          const answer = await client.sendAgain(payout);
          return answer.status < 500 && answer;
        },
        { withinMs: 60_000, what: `an answer to ${payout.code}`, everyMs: 250 },
      );
      expect(status === 200 ? '' : headers['error-code']).toBe(status === 200 ? '' : 'hash_already_processed');
    });
  }
}

/** Owners ask for refunds; most transfers are used, so most are refused. */
async function askBack(asked: typeof toAskBack): Promise<void> {
  await eachOf(asked, AT_ONCE, async ([{ chain, owner, askedBackTo }, hash]) => {
    await owner.refund({ chain, transaction_hash: hash, refund_address: askedBackTo ?? '' }).catch(() => undefined);
  });
}

async function askOpenOnesBackAgain(): Promise<void> {
  for (const client of fixture.clients) {
    await eachOf(
      client.refunds.filter(({ told }) => told === null),
      AT_ONCE,
      async ({ chain, hash, to }) => {
        await until(
          async () => (await client.refund({ chain, transaction_hash: hash, refund_address: to ?? '' })).status < 500,
          { withinMs: 60_000, what: `an answer to the refund of ${hash}`, everyMs: 250 },
        );
      },
    );
  }
}

/** By reference: under a dollar it may cost too much to send back, and waits for people. */
const small = new Set<string>();

async function allSentBack(): Promise<void> {
  const refunds = new Refunds(fixture);
  const open = new Set(
    fixture.clients.flatMap((client) =>
      client.sent.filter(({ code }) => !small.has(code)).map((payout) => ({ client, payout })),
    ),
  );
  await until(
    async () => {
      await Promise.all(CHAINS.map((chain) => refunds.finalise(chain)));
      await eachOf([...open], AT_ONCE, async (one) => {
        const refund = (await one.client.status(one.payout.code))?.['refund'] ?? '';
        if (refund === '' || refund === 'COMPLETE') open.delete(one);
        if (refund === 'FAILED') throw new Error(`the refund of ${one.payout.code} FAILED`);
      });
      if (open.size > 0) throw new Error(`${open.size} are under way, the first is ${[...open][0]?.payout.code}`);
      return true;
    },
    { withinMs: 180_000, what: 'everything that goes back is there', everyMs: 1_000 },
  );
}

/** A killed database restarts slowly on a small machine. */
async function isBack(): Promise<void> {
  await until(async () => (await fetch(`${fixture.vuka.baseUrl}/health/ready`)).status === 200, {
    withinMs: 60_000,
    what: 'Vuka is back',
    everyMs: 100,
  });
}

/** Faults in the middle of a round's claims, the slowest to notice first. */
const DEATHS: readonly (() => Promise<void>)[] = [
  async () => {
    // Not the chains: a restarted node forgets its last second, which no real chain does.
    await fixture.vuka.kill9({ postgres: false });
    await fixture.vuka.kill9Postgres();
    await fixture.vuka.restart();
  },
  async () => fixture.vuka.kill9Postgres(),
  async () => {
    await fixture.vuka.kill9({ postgres: false });
    await fixture.vuka.restart();
  },
];
const TROUBLES = [
  ...drawn('pay-conservation deaths', DEATHS, 1),
  async () => {
    await fixture.chain('CELO').stall(true);
    await fixture.chain('BNB').reorg(3);
    await fixture.chain('CELO').stall(false);
    // These nodes keep all they reported.
    await Promise.all(OTHER_CHAINS.map((name) => fixture.killNode(name)));
  },
  async () => undefined,
];

describe(`random deposits (VUKA_TEST_DEALS_SEED=${SEED})`, () => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'round %i',
    async (round) => {
      await isBack();
      const dealt = await eachOf(
        Array.from({ length: DEPOSITS }, (_, index) => dealer.deal(`deal-${round}-${index}`)),
        AT_ONCE,
        priced,
      );
      const hashes = await send(dealt);
      for (const deal of dealt)
        if (Number(wholeOf(deal)) < 1) for (const { body } of deal.claims) small.add(body.reference ?? '');
      beyond += dealt.filter(({ isBeyond }) => isBeyond).length;
      const claims = dealt.flatMap((deal) => deal.claims.map((claim) => ({ ...claim, hash: hashes.get(deal) ?? '' })));
      const asks = askBack(toAskBack);
      try {
        await eachOf(claims, AT_ONCE, async ({ client, currency, body, hash }, index) => {
          if (index === Math.floor(claims.length / 2)) await TROUBLES[round % TROUBLES.length]?.();
          await client.pay(currency, { ...body, transaction_hash: hash }).catch(() => undefined);
        });
      } finally {
        await asks;
      }
      toAskBack = dealt
        .filter(({ askedBackTo, isBeyond }) => askedBackTo !== null && !isBeyond)
        .map((deal) => [deal, hashes.get(deal) ?? ''] as const);
    },
    120_000,
  );

  it('are each in one place in the end, to the cent', async () => {
    await isBack();
    await sendOpenOnesAgain();
    await askBack(toAskBack);
    await askOpenOnesBackAgain();
    await fixture.checker.expectSound({ rates: rates.told });
    await allSentBack();
    const { transactions, incomingTransfers, paid, sentBack } = await fixture.checker.expectSound({
      rates: rates.told,
    });
    expect(new Set(rates.told.get('KES')?.map(({ rate }) => rate)).size).toBeGreaterThan(
      atDepth({ commit: 1, whole: 2 }),
    );
    expect(incomingTransfers).toBe(ROUNDS * DEPOSITS - beyond);
    expect(transactions).toBeGreaterThan((ROUNDS * DEPOSITS) / 2);
    expect(paid).toBeGreaterThan((ROUNDS * DEPOSITS) / 4);
    // With few deposits, possibly none goes back; the checker tests each one.
    expect(sentBack).toBeGreaterThan(atDepth({ commit: -1, whole: (ROUNDS * DEPOSITS) / 40 }));
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
  }, 480_000);
});
