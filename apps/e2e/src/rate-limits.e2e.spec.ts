import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  openFixture,
  FIXTURE_WITHIN_MS,
  until,
  type Answer,
  type ApiClient,
  type OutsideChecker,
  type Fixture,
  type TransferBody,
  type VukaProcess,
} from '@vuka/testing';

let vuka: VukaProcess;
let one: ApiClient;
let two: ApiClient;
let checker: OutsideChecker;
let fixture: Fixture;

const RATE = 10;
const BURST = 20;
const SMALL_LIMITS = {
  RATE_LIMIT_PARTNER: `${RATE}/${BURST}`,
  RATE_LIMIT_LOOKUPS: '1/3',
  RATE_LIMIT_DESTINATION: '1/1',
  RATE_LIMIT_FAILED_AUTH: '1/5',
};

beforeAll(async () => {
  fixture = await openFixture({ env: SMALL_LIMITS });
  ({ vuka, one, two, checker } = fixture);
  // The checker used one request each; wait until the limits are full again.
  const fullAt = Date.now() + 2_000 / RATE;
  await until(() => Date.now() > fullAt, { withinMs: 5_000, what: 'the buckets are full' });
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

const transfer = (reference: string): TransferBody => ({
  amount: 100,
  account_number: accountNumber(),
  bank_code: '01',
  reference,
});
const lookup = (shortcode: string) => ({
  path: '/v1/validation/kes',
  body: { type: 'MOBILE', shortcode, mobile_network: 'Safaricom' },
});
const banks = (client: ApiClient, key?: string): Promise<Answer> =>
  client.send({ path: '/v1/banks', ...(key !== undefined && { headers: { 'x-api-key': key } }) });
const codeOf = ({ status, headers }: Answer): string => `${status} ${headers['error-code'] ?? ''}`.trim();

/** Checks headers and body of a 429; returns the seconds to wait. */
function expectRefused(answer: Answer, policy: string, quota: string): number {
  expect([codeOf(answer), answer.headers['ratelimit-policy']]).toEqual(['429 rate_limited', `"${policy}";${quota}`]);
  const [, t = ''] = new RegExp(`^"${policy}";r=0;t=(\\d+)$`).exec(answer.headers['ratelimit'] ?? '') ?? [];
  const retryAfter = answer.headers['retry-after'] ?? '';
  expect(retryAfter).toMatch(/^[1-9]\d*$/);
  expect(Number(retryAfter)).toBeGreaterThanOrEqual(Number(t));
  expect(answer.headers['transaction-code']).toBeUndefined();
  expect(Object.keys(answer.body ?? {})).toEqual(['code', 'message']);
  expect(answer.body?.message).toMatch(/^Too many /);
  return Number(retryAfter);
}

describe('a partner', () => {
  it('may send the burst at once; the rest is refused, consumes nothing, and is accepted when it comes again', async () => {
    const bodies = Array.from({ length: 2 * BURST }, (_, index) => transfer(`limit-${index}`));
    const startedAt = Date.now();
    const answers = await Promise.all(bodies.map((body) => one.bankTransfer('KES', body)));
    const elapsedS = (Date.now() - startedAt) / 1_000;
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThanOrEqual(BURST);
    expect(accepted.length).toBeLessThanOrEqual(BURST + elapsedS * RATE);
    for (const answer of accepted)
      expect([answer.headers['ratelimit-policy'], answer.headers['ratelimit']]).toEqual([
        '"partner";q=20;w=2',
        expect.stringMatching(/^"partner";r=\d+;t=[12]$/),
      ]);
    const refused = answers.flatMap((answer, index) =>
      answer.status === 200 ? [] : [{ answer, body: bodies[index] as TransferBody }],
    );
    for (const { answer } of refused) expect(expectRefused(answer, 'partner', 'q=20;w=2')).toBe(1);
    for (const { body } of refused) {
      const again = await until(async () => ((await one.bankTransfer('KES', body)).status === 200 ? true : null), {
        withinMs: 10_000,
        what: 'it is accepted',
      });
      expect(again).toBe(true);
    }
  }, 60_000);

  it('is not touched by what another one sends', async () => {
    const [burst, other] = await Promise.all([
      Promise.all(Array.from({ length: 3 * BURST }, () => banks(one))),
      banks(two),
    ]);
    expect(burst.map(codeOf)).toContain('429 rate_limited');
    expect([other.status, other.headers['ratelimit']]).toEqual([200, '"partner";r=19;t=1']);
  });

  it('has its lookups of names counted apart, and only there', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => two.send(lookup(`071234567${index}`))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const answer of refused) expectRefused(answer, 'lookups', 'q=3;w=3');
    for (const answer of answers) expect(answer.headers['ratelimit']).toMatch(/^"lookups";/);
    expect((await banks(two)).headers['ratelimit']).toMatch(/^"partner";r=1\d;/);
  });

  it('is told the limit of a destination by the 429 that it gives, and may look up another one', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => one.send(lookup('0712345699'))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const answer of refused) expectRefused(answer, 'destination', 'q=1;w=1');
    await until(async () => (await one.send(lookup('0712345698'))).status === 200, {
      withinMs: 5_000,
      what: 'another destination is looked up',
    });
  });

  it('is let through again after what Retry-After says', async () => {
    const burst = await Promise.all(Array.from({ length: 2 * BURST }, () => banks(two)));
    const retryAfterS = Math.max(
      ...burst.filter(({ status }) => status === 429).map((answer) => expectRefused(answer, 'partner', 'q=20;w=2')),
    );
    await until(async () => (await banks(two)).status === 200, {
      withinMs: retryAfterS * 1_000 + 500,
      what: 'one is let through',
    });
  });
});

describe('an address', () => {
  it('gets 429 instead of 401 for too many invalid keys, and a valid key from there is never blocked', async () => {
    const wrong = (index: number): string =>
      index % 2 === 0 ? 'wrong' : one.partner.consumer_key.replace('sandbox1', `nobody${index}`);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => banks(one, wrong(index))));
    const [refused, told] = [
      answers.filter(({ status }) => status === 429),
      answers.filter(({ status }) => status !== 429),
    ];
    expect(told.length).toBeGreaterThanOrEqual(5);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const answer of refused) expectRefused(answer, 'failed-auth', 'q=5;w=5');
    for (const answer of told)
      expect([codeOf(answer), answer.headers['ratelimit']]).toEqual([
        '401 unauthorized',
        expect.stringMatching(/^"failed-auth";/),
      ]);
    // Valid keys are not limited by failed ones from the same address.
    for (const client of [one, two])
      expect(
        (
          await until(async () => [await banks(client)].find(({ status }) => status !== 429), {
            withinMs: 5_000,
            what: 'its own limit lets it through',
          })
        ).status,
      ).toBe(200);
    await until(async () => codeOf(await banks(two, 'wrong')) === '429 rate_limited', {
      withinMs: 5_000,
      what: 'the address is over its limit',
    });
    expect((await banks(two)).headers['ratelimit']).toMatch(/^"partner";/);
    await until(async () => codeOf(await banks(two, 'wrong')) === '401 unauthorized', {
      withinMs: 5_000,
      what: 'a bad key is told that it is bad',
    });
  }, 30_000);

  it('is not counted for requests without a key', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => one.send({ method: 'GET', path: '/health/ready' })),
    );
    for (const answer of answers) expect([answer.status, answer.headers['ratelimit']]).toEqual([200, undefined]);
  });
});

describe('seen from outside', () => {
  it('all of it is sound, once no limit is left', async () => {
    await vuka.stop();
    await vuka.restart({
      RATE_LIMIT_PARTNER: 'off',
      RATE_LIMIT_LOOKUPS: 'off',
      RATE_LIMIT_DESTINATION: 'off',
      RATE_LIMIT_FAILED_AUTH: 'off',
    });
    for (const answer of [await banks(one), await banks(one, 'wrong')])
      expect([answer.headers['ratelimit'], answer.headers['ratelimit-policy']]).toEqual([undefined, undefined]);
    for (const { status, headers } of await Promise.all(
      Array.from({ length: 80 }, () => one.send(lookup('0712345699'))),
    ))
      expect([status, headers['ratelimit']]).toEqual([200, undefined]);
    await checker.expectSound();
  }, 240_000);
});
