import { randomInt } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eachOf, ledgerCheck, SCENE_WITHIN_MS, type ApiClient } from '@vuka/testing';

import { openPayScene, type PayScene } from './pay-scene.spec-support.js';
import { Dealer, dice, MovingRates, priced, type Dealt } from './pay-conservation.spec-support.js';

/** So many times: deposits, their claims, and meanwhile something that goes wrong. */
const ROUNDS = 5;
const DEPOSITS = 400;
const AT_ONCE = 16;
const CHAINS = ['CELO', 'BNB'];
/** A failure is found again by it: what partners do is the same, what the machine does meanwhile is not. */
const SEED = Number(process.env['VUKA_TEST_DEALS_SEED'] ?? randomInt(1_000_000));

let scene: PayScene;
let rates: MovingRates;
let dealer: Dealer;
let beyond = 0;
const random = dice(SEED);

beforeAll(async () => {
  rates = await MovingRates.start(random);
  scene = await openPayScene({ chains: CHAINS, env: { VUKA_TEST_SEARCH_MS: '60000', UNAPPLIED_POLICY: 'keep', RATES_URL: rates.url, LOG_LEVEL: 'warn' } });
  const addresses = new Map(await Promise.all(scene.clients.map(async (client): Promise<[ApiClient, string]> => [client, await client.settlementAddress('CELO')])));
  dealer = new Dealer(random, addresses, scene.receiver.url());
}, SCENE_WITHIN_MS);

afterAll(async () => {
  await scene.end();
  await rates.stop();
}, 60_000);

/** All of a round's transfers, final, in the order in which they were dealt. */
async function send(dealt: readonly Dealt[]): Promise<ReadonlyMap<Dealt, string>> {
  const hashes = new Map<Dealt, string>();
  for (const name of CHAINS) {
    const here = dealt.filter(({ chain }) => chain === name);
    const sent = await scene.chain(name).transferAll(here);
    sent.forEach((hash, index) => hashes.set(here[index] as Dealt, hash));
    await scene.chain(name).mineToFinality();
  }
  return hashes;
}

/** What a partner does that got no answer; meanwhile a second claim of the same transfer may have come first. */
async function sendOpenOnesAgain(): Promise<void> {
  for (const client of scene.clients) {
    const open = client.sent.filter(({ outcome }) => outcome === 'open');
    await eachOf(open, AT_ONCE, async (payout) => {
      const { status, headers } = await client.sendAgain(payout);
      expect(status === 200 ? '' : headers['error-code']).toBe(status === 200 ? '' : 'hash_already_processed');
    });
  }
}

/** What befalls the round's claims half way; first what is longest to be seen. */
const TROUBLES: readonly (() => Promise<void>)[] = [
  async () => {
    // Not the chains: they would forget their last second, which no chain does.
    await scene.vuka.kill9({ postgres: false });
    await scene.vuka.kill9Postgres();
    await scene.vuka.restart();
  },
  async () => scene.vuka.kill9Postgres(),
  async () => {
    await scene.vuka.kill9({ postgres: false });
    await scene.vuka.restart();
  },
  async () => {
    await scene.chain('CELO').stall(true);
    await scene.chain('BNB').reorg(3);
    await scene.chain('CELO').stall(false);
  },
  async () => undefined,
];

describe(`deposits as the dice have them (VUKA_TEST_DEALS_SEED=${SEED})`, () => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => round))('round %i', async (round) => {
    const dealt = await eachOf(Array.from({ length: DEPOSITS }, (_, index) => dealer.deal(`deal-${round}-${index}`)), AT_ONCE, priced);
    const hashes = await send(dealt);
    beyond += dealt.filter(({ to }) => to.startsWith('0x1111')).length;
    const claims = dealt.flatMap((deal) => deal.claims.map((claim) => ({ ...claim, hash: hashes.get(deal) ?? '' })));
    await eachOf(claims, AT_ONCE, async ({ client, currency, body, hash }, index) => {
      if (index === Math.floor(claims.length / 2)) await TROUBLES[round % TROUBLES.length]?.();
      await client.pay(currency, { ...body, transaction_hash: hash }).catch(() => undefined);
    });
  }, 120_000);

  it('are each in one place in the end, to the cent, whatever befell', async () => {
    await sendOpenOnesAgain();
    const { transactions, arrivals, paid } = await scene.checker.expectSound({ rates: rates.told });
    expect(new Set(rates.told.get('KES')).size).toBeGreaterThan(2);
    expect(arrivals).toBe(ROUNDS * DEPOSITS - beyond);
    expect(transactions).toBeGreaterThan((ROUNDS * DEPOSITS) / 2);
    expect(paid).toBeGreaterThan((ROUNDS * DEPOSITS) / 4);
    expect(await ledgerCheck(scene.vuka)).toEqual({ code: 0, output: expect.stringMatching(/The ledger is sound\./) });
  }, 240_000);
});
