import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  dataOf,
  admin,
  isSignedWith,
  openSharedFixture,
  FIXTURE_WITHIN_MS,
  until,
  type Answer,
  type ApiClient,
  type ReceivedWebhook,
  type Fixture,
  type WebhookReceiver,
} from '@vuka/testing';

const TOLD_WITHIN_MS = 20_000;
/** The first retry comes after five seconds and a little (decisions.md section 6). */
const RETRIED_WITHIN_MS = 25_000;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const WHO = ['--reason', 'the suite of webhooks', '--by', 'Ann Otieno'];

interface Attempt {
  readonly attempt: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly error: string | null;
}

interface Delivery {
  readonly id: string | number;
  readonly webhook_id: string;
  readonly event: string;
  readonly sequence: number;
  readonly transaction_code: string;
  readonly url: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly log: readonly Attempt[];
  readonly [field: string]: unknown;
}

let fixture: Fixture;
let one: ApiClient;
let receiver: WebhookReceiver;
const answers = new Map<string, { readonly status: number; readonly headers?: Readonly<Record<string, string>> }>();

beforeAll(async () => {
  fixture = await openSharedFixture();
  ({ one, receiver } = fixture);
  receiver.answerBy(({ path }) => answers.get(path) ?? { status: 200 });
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

let made = 0;
async function payOut({
  number = '7890',
  path = '/hook',
}: { number?: string; path?: string | null } = {}): Promise<string> {
  made += 1;
  const body = {
    amount: 100,
    account_number: accountNumber(number),
    bank_code: '01',
    reference: `trust-${made}`,
    ...(path !== null && { callback_url: receiver.url(path) }),
  };
  return dataOf<{ transaction_code: string }>(await one.bankTransfer('KES', body)).transaction_code;
}

const at = (path: string): ReceivedWebhook[] => receiver.received.filter((hook) => hook.path === path);
const arrived = (path: string, many = 1): Promise<ReceivedWebhook[]> =>
  receiver.waitFor(() => at(path).length >= many && at(path), {
    withinMs: RETRIED_WITHIN_MS,
    what: `${many} webhooks at ${path}`,
  });
const ask = (path: string, body: object = {}): Promise<Answer> => one.send({ path: `/v1/webhooks${path}`, body });
const log = async (filters: object = {}): Promise<Delivery[]> => dataOf<Delivery[]>(await ask('/deliveries', filters));

function logged(code: string, states: readonly string[]): Promise<Delivery[]> {
  return until(
    async () => {
      const rows = (await log({ transaction_code: code })).sort((left, right) => left.sequence - right.sequence);
      if (rows.map(({ state }) => state).join() !== states.join())
        throw new Error(rows.map(({ sequence, state, attempts }) => `${sequence} ${state} after ${attempts}`).join());
      return rows;
    },
    { withinMs: RETRIED_WITHIN_MS, what: `the log of ${code} is ${states.join()}`, everyMs: 100 },
  );
}

describe('a webhook', () => {
  it('has a signature that anybody can check, its state and its sequence number', async () => {
    const code = await payOut({ path: '/signed?a=%2F&b=' });
    await receiver.waitForFinal(code, TOLD_WITHIN_MS);
    const hooks = receiver.of(code);
    const row = await one.status(code);
    expect(hooks.map(({ id, event, sequence, path }) => [id, event, sequence, path])).toEqual([
      [`${row?.id}_1`, 'transaction.processing', 1, '/signed?a=%2F&b='],
      [`${row?.id}_2`, 'transaction.complete', 2, '/signed?a=%2F&b='],
    ]);
    for (const hook of hooks) {
      expect(isSignedWith(one.partner.webhook_secret, hook)).toBe(true);
      expect(isSignedWith(fixture.two.partner.webhook_secret, hook)).toBe(false);
      expect(
        isSignedWith(one.partner.webhook_secret, { ...hook, rawBody: hook.rawBody.replace(code, `${code}1`) }),
      ).toBe(false);
    }
  }, 60_000);

  it('is in the log with every try of it, what it said, and what it was answered', async () => {
    answers.set('/second', { status: 500 });
    const code = await payOut({ path: '/second' });
    await receiver.waitForFinal(code, TOLD_WITHIN_MS);
    answers.delete('/second');
    const rows = await logged(code, ['superseded', 'delivered']);
    const last = rows.at(-1) as Delivery;
    expect(last).toEqual({
      id: expect.anything(),
      webhook_id: at('/second').at(-1)?.id,
      event: 'transaction.complete',
      sequence: 2,
      transaction_code: code,
      order_id: '',
      url: receiver.url('/second'),
      state: 'delivered',
      attempts: 2,
      last_status: 200,
      last_error: null,
      created_at: TIME,
      next_attempt_at: null,
      settled_at: TIME,
      payload: at('/second').at(-1)?.payload,
      log: [
        { attempt: 1, started_at: TIME, duration_ms: expect.any(Number), status: 500, error: null },
        { attempt: 2, started_at: TIME, duration_ms: expect.any(Number), status: 200, error: null },
      ],
    });
    // Log and received tries match one to one.
    for (const row of rows)
      expect(row.log.length).toBe(receiver.received.filter(({ id }) => id === row.webhook_id).length);
  }, 90_000);

  it('of a newer state is sent at once while an older one waits for its next try, which is then dropped', async () => {
    answers.set('/older', { status: 503, headers: { 'retry-after': '600' } });
    const code = await payOut({ number: '0004', path: '/older' });
    await arrived('/older');
    answers.delete('/older');
    expect(dataOf<{ done: boolean }>(await one.control(code, 'release')).done).toBe(true);
    const final = await receiver.waitForFinal(code, TOLD_WITHIN_MS);
    expect(final.sequence).toBe(2);
    const [older] = await logged(code, ['superseded', 'delivered']);
    expect([older?.attempts, older?.last_status]).toEqual([1, 503]);
  }, 90_000);

  it('does not follow redirects', async () => {
    answers.set('/moved', { status: 307, headers: { location: receiver.url('/elsewhere') } });
    const code = await payOut({ path: '/moved' });
    await receiver.waitFor(
      (all) => all.some(({ path, payload }) => path === '/moved' && payload.status === 'COMPLETE'),
      { withinMs: TOLD_WITHIN_MS, what: 'the final one was tried' },
    );
    const rows = await until(
      async () => {
        const found = await log({ transaction_code: code });
        return found.every(({ attempts }) => attempts > 0) && found;
      },
      { withinMs: TOLD_WITHIN_MS, what: 'its tries are in the log' },
    );
    expect(rows.map(({ log: tries }) => tries[0]?.status)).toEqual(rows.map(() => 307));
    expect(at('/elsewhere')).toEqual([]);
    answers.delete('/moved');
    await logged(code, ['superseded', 'delivered']);
  }, 90_000);
});

describe('a test of the endpoint', () => {
  it('comes signed like all else, once, and is sent again only by hand', async () => {
    await one.orders.tellAt(receiver.url('/ping'));
    answers.set('/ping', { status: 500 });
    const asked = await ask('/test');
    expect(asked.status).toBe(200);
    const [ping] = (await arrived('/ping')) as [ReceivedWebhook];
    expect([ping.event, ping.sequence, ping.payload]).toEqual([
      'webhook.test',
      1,
      { status: 'TEST', transaction_code: expect.stringMatching(/^test-\d+$/), message: expect.any(String) },
    ]);
    expect(isSignedWith(one.partner.webhook_secret, ping)).toBe(true);
    const code = ping.payload.transaction_code;
    const [failed] = (await logged(code, ['failed'])) as [Delivery];
    expect([failed.attempts, failed.last_status]).toEqual([1, 500]);

    answers.delete('/ping');
    const again = dataOf<Delivery>(await ask(`/deliveries/${failed.id}/resend`));
    expect(again.id).toBe(failed.id);
    await arrived('/ping', 2);
    const [row] = (await logged(code, ['delivered'])) as [Delivery];
    expect([row.attempts, row.log.map(({ status }) => status)]).toEqual([2, [500, 200]]);
    expect(at('/ping').map(({ id, rawBody }) => [id, rawBody])).toEqual([
      [ping.id, ping.rawBody],
      [ping.id, ping.rawBody],
    ]);
  }, 90_000);

  it('is refused if there is no default URL', async () => {
    await one.orders.tellAt(null);
    const answer = await ask('/test');
    expect([answer.status, answer.headers['error-code']]).toEqual([400, 'invalid_request']);
  });
});

describe('the log', () => {
  it('is read page by page, newest first, each row once, and only those that are asked for', async () => {
    const whole = await one.listed<Delivery>('/v1/webhooks/deliveries', { limit: 100 });
    const paged: Delivery[] = [];
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
      const answer: Answer = await ask('/deliveries', { limit: 2, ...(cursor !== '' && { cursor }) });
      paged.push(...dataOf<Delivery[]>(answer));
      cursor = answer.body?.next_cursor;
    }
    expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(new Set(paged.map(({ id }) => id)).size).toBe(paged.length);
    expect(await log({ event: 'webhook.test' })).toEqual(whole.filter(({ event }) => event === 'webhook.test'));
    expect(await log({ state: 'superseded' })).toEqual(whole.filter(({ state }) => state === 'superseded'));
    expect((await ask('/deliveries', { state: 'lost' })).status).toBe(400);
  }, 60_000);
});

describe('a given-up webhook in the log', () => {
  it('is sent again at once, all that is asked for and nothing else', async () => {
    answers.set('/away', { status: 410 });
    const codes = [await payOut({ path: '/away' }), await payOut({ path: '/away' }), await payOut({ path: '/away' })];
    for (const code of codes) await logged(code, ['ended', 'ended']);
    answers.delete('/away');
    const before = receiver.received.length;
    const wanted = { state: 'ended', event: 'transaction.complete' };
    expect(dataOf<{ resent: number; more: boolean }>(await ask('/deliveries/resend', wanted))).toMatchObject({
      resent: 3,
      more: false,
    });
    for (const code of codes) await logged(code, ['ended', 'delivered']);
    expect(
      receiver.received
        .slice(before)
        .map(({ path, payload }) => `${path} ${payload.transaction_code}`)
        .sort(),
    ).toEqual(codes.map((code) => `/away ${code}`).sort());
    expect(dataOf<{ resent: number }>(await ask('/deliveries/resend', wanted)).resent).toBe(0);
  }, 90_000);
});

describe('a receiver that is gone (410)', () => {
  it('of one transaction gets nothing more about it, and the default stays', async () => {
    await one.orders.tellAt(receiver.url('/default'));
    answers.set('/gone', { status: 410 });
    const code = await payOut({ number: '0004', path: '/gone' });
    one.isGoneFor(code);
    await arrived('/gone');
    await one.control(code, 'release');
    await until(async () => (await one.status(code))?.status === 'COMPLETE', {
      withinMs: TOLD_WITHIN_MS,
      what: 'it is paid',
    });
    await logged(code, ['ended', 'ended']);
    expect(at('/gone').length).toBe(1);
    const next = await payOut({ path: null });
    expect((await receiver.waitForFinal(next, TOLD_WITHIN_MS)).path).toBe('/default');
  }, 90_000);

  it('at the default URL removes the default, until another one is set', async () => {
    answers.set('/default', { status: 410 });
    const code = await payOut({ path: null });
    one.isGoneFor(code);
    await receiver.waitFor((all) => all.some(({ payload }) => payload.transaction_code === code), {
      withinMs: TOLD_WITHIN_MS,
      what: 'it was tried',
    });
    await until(async () => (await ask('/test')).status === 400, {
      withinMs: TOLD_WITHIN_MS,
      what: 'the default is off',
      everyMs: 1_000,
    });
    one.orders.isGone();
    const untold = await payOut({ path: null });
    await until(async () => (await one.status(untold))?.status === 'COMPLETE', {
      withinMs: TOLD_WITHIN_MS,
      what: 'it is paid',
    });
    expect(await log({ transaction_code: untold })).toEqual([]);
    answers.delete('/default');
    await one.orders.tellAt(receiver.url('/default'));
    const told = await payOut({ path: null });
    expect((await receiver.waitForFinal(told, TOLD_WITHIN_MS)).path).toBe('/default');
  }, 90_000);
});

describe('while a secret is changed', () => {
  it('each webhook is signed with both, so that the receiver can change it at any time', async () => {
    const { secret } = await admin<{ secret: string }>(
      fixture.vuka,
      'webhook-secret-rotate',
      String(one.partner.id),
      ...WHO,
    );
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/=]{32,}$/);
    expect(secret).not.toBe(one.partner.webhook_secret);
    const code = await payOut();
    const hook = await receiver.waitForFinal(code, TOLD_WITHIN_MS);
    expect(String(hook.headers['webhook-signature']).split(' ')).toEqual([
      expect.stringMatching(/^v1,/),
      expect.stringMatching(/^v1,/),
    ]);
    for (const each of [secret, one.partner.webhook_secret]) expect(isSignedWith(each, hook)).toBe(true);
  }, 90_000);
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await fixture.checker.expectSound();
  }, 240_000);
});
