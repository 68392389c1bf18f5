import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  eachOf,
  openSharedFixture,
  FIXTURE_WITHIN_MS,
  until,
  type Answer,
  type ApiClient,
  type OutsideChecker,
  type Fixture,
  type WebhookReceiver,
} from '@vuka/testing';

let one: ApiClient;
let two: ApiClient;
let receiver: WebhookReceiver;
let checker: OutsideChecker;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await openSharedFixture();
  ({ one, two, receiver, checker } = fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

const FEE = 3_000n;
const MOST = 25_000_000n;
const RACERS = 200;
const COVERED = 100;
const OPEN = new Set([503, 504]);
const MOST_AGAIN = 5;
const COST = 10_000n + FEE;

const text = (minor: bigint): string => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;

async function pay(client: ApiClient, minor: bigint, sandboxNumber?: string): Promise<Answer> {
  return client.bankTransfer('KES', {
    amount: text(minor),
    account_number: accountNumber(sandboxNumber),
    bank_code: '01',
    callback_url: receiver.url(),
  });
}

/** Repeats the request until it is answered, as a partner does. */
async function race(client: ApiClient): Promise<Answer> {
  const body = {
    amount: text(10_000n),
    account_number: accountNumber(),
    bank_code: '01',
    callback_url: receiver.url(),
    reference: `race-${randomUUID()}`,
  };
  let answer = await client.bankTransfer('KES', body);
  for (let again = 0; again < MOST_AGAIN && OPEN.has(answer.status); again += 1)
    answer = await client.bankTransfer('KES', body);
  return answer;
}

/** Spends the KES wallet down to exactly `target`, by paid transfers. */
async function spendDownTo(client: ApiClient, target: bigint): Promise<void> {
  for (;;) {
    const balance = (await client.wallets()).get('KES') ?? 0n;
    const surplus = balance - target;
    if (surplus === 0n) return;
    const amount = surplus <= MOST + FEE ? surplus - FEE : surplus - MOST - FEE < 10_000n + FEE ? MOST / 2n : MOST;
    expect((await pay(client, amount)).status).toBe(200);
  }
}

const counts = (answers: readonly Answer[]): Record<string, number> => {
  const all: Record<string, number> = {};
  for (const { status, headers } of answers) {
    const name = `${status} ${headers['error-code'] ?? ''}`.trim();
    all[name] = (all[name] ?? 0) + 1;
  }
  return all;
};

describe('two hundred transfers at once for a balance that covers one hundred', () => {
  it('are exactly one hundred accepted, one hundred refused, and an empty wallet', async () => {
    await spendDownTo(one, COST * BigInt(COVERED));
    const answers = await Promise.all(Array.from({ length: RACERS }, () => race(one)));
    expect(counts(answers)).toEqual({ '200': COVERED, '402 insufficient_balance': RACERS - COVERED });
    expect((await one.wallets()).get('KES')).toBe(0n);
    expect((await pay(one, 10_000n)).status).toBe(402);
  }, 60_000);

  it('and a balance one cent short of one hundred covers ninety-nine', async () => {
    await spendDownTo(two, COST * BigInt(COVERED) - 1n);
    const answers = await Promise.all(Array.from({ length: RACERS }, () => race(two)));
    expect(counts(answers)).toEqual({ '200': COVERED - 1, '402 insufficient_balance': RACERS - COVERED + 1 });
    expect((await two.wallets()).get('KES')).toBe(COST - 1n);
  }, 60_000);
});

describe('money that comes back while others race for it', () => {
  it('is spent once: accepted payouts are covered at every moment, and the balance is right in the end', async () => {
    const wallet = (await two.wallets()).get('NGN') ?? 0n;
    let watching = true;
    const seen: bigint[] = [];
    const watch = (async () => {
      while (watching) seen.push((await two.wallets()).get('NGN') ?? 0n);
    })();
    // Thirty transfers of a million each for a wallet of ten. All fail, so the next one has its money.
    const answers = await eachOf(Array.from({ length: 30 }), 15, () =>
      until(
        async () => {
          const answer = await two.bankTransfer('NGN', {
            amount: 1_000_000,
            account_number: accountNumber('0000'),
            bank_code: '044',
            callback_url: receiver.url(),
          });
          return answer.status === 402 ? null : answer;
        },
        { withinMs: 60_000, what: 'a place is free', everyMs: 100 },
      ),
    );
    expect(counts(answers)).toEqual({ '200': 30 });
    await until(async () => (await two.wallets()).get('NGN') === wallet, {
      withinMs: 60_000,
      what: 'all the money is back',
    });
    watching = false;
    await watch;
    expect(seen.filter((balance) => balance < 0n || balance > wallet)).toEqual([]);
    expect(seen.some((balance) => balance < wallet)).toBe(true);
  }, 60_000);
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await checker.expectSound();
  }, 240_000);
});
