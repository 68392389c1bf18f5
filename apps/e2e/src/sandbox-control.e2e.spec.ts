import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  dataOf,
  kesDestination,
  openSharedFixture,
  FIXTURE_WITHIN_MS,
  until,
  watchStatus,
  type Answer,
  type ApiClient,
  type ControlAction,
  type Fixture,
  type StatusRow,
} from '@vuka/testing';

let fixture: Fixture;
let one: ApiClient;
let two: ApiClient;

beforeAll(async () => {
  fixture = await openSharedFixture();
  ({ one, two } = fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

const AMOUNT = 100_000n;
const KES_FEE = 3_000n;
const END_WITHIN_MS = 60_000;
/** From the control to its effect: the provider, a poll, a collected debt. */
const FOLLOWS_WITHIN_MS = 60_000;

const NOTHING = expect.stringMatching(/.*/);
const done = (answer: Answer): boolean => dataOf<{ done: boolean }>(answer).done;

/** Each test has its own wallet (partner, currency), so that all can run at once. */
interface Purse {
  readonly client: ApiClient;
  readonly currency: 'KES' | 'NGN' | 'MWK';
}

async function balance({ client, currency }: Purse): Promise<bigint> {
  return (await client.wallets()).get(currency) ?? 0n;
}

async function transfer(
  { client, currency }: Purse,
  number: string,
  account_number = accountNumber(number),
): Promise<string> {
  const banks: Partial<Record<string, string>> = { KES: '01', NGN: '044' };
  const bank_code =
    banks[currency] ?? dataOf<{ code: string }[]>(await client.send({ path: `/v1/banks/${currency}` }))[0]?.code ?? '';
  const answer = await client.bankTransfer(currency, {
    amount: 1000,
    account_number,
    bank_code,
    callback_url: fixture.receiver.url(),
  });
  return dataOf<{ transaction_code: string }>(answer).transaction_code;
}

const becomes = (purse: Purse, expected: bigint): Promise<true> =>
  until(
    async () => {
      const now = await balance(purse);
      if (now !== expected) throw new Error(`it is ${now}, not ${expected}`);
      return true as const;
    },
    { withinMs: FOLLOWS_WITHIN_MS, what: `the ${purse.currency} wallet`, everyMs: 100 },
  );

const ends = async ({ client }: Purse, code: string, end: string): Promise<StatusRow> =>
  (await watchStatus(client, code, end, END_WITHIN_MS)).row;

const STORIES: Readonly<Record<string, () => Promise<void>>> = {
  'a payment made after FAILED changes no status: the partner has its money back, owes it, and is told once':
    async () => {
      const purse: Purse = { client: one, currency: 'NGN' };
      const before = await balance(purse);
      const code = await transfer(purse, '0000');
      const failed = await ends(purse, code, 'FAILED');
      await becomes(purse, before);
      expect(done(await one.control(code, 'pay'))).toBe(true);
      await becomes(purse, before - AMOUNT);
      const correction = {
        reason: 'paid_after_failure',
        receipt_number: expect.stringMatching(/./),
        amount: '1000.00',
        at: expect.stringMatching(/Z$/),
      };
      const corrected = await one.status(code);
      expect([failed['correction'], corrected]).toEqual([
        '',
        { ...failed, correction, message: expect.stringContaining('made after all'), updated_at: NOTHING },
      ]);
      await until(() => fixture.receiver.of(code).length === 3, { withinMs: END_WITHIN_MS, what: 'three webhooks' });
      const paid = corrected?.['correction'] as { receipt_number: string };
      expect(fixture.receiver.of(code).at(-1)).toMatchObject({
        event: 'transaction.corrected',
        sequence: 3,
        id: `${failed.id}_3`,
        payload: {
          status: 'FAILED',
          failure_code: 'recipient_not_found',
          message: corrected?.message,
          correction: { ...correction, receipt_number: paid.receipt_number },
        },
      });
      expect(done(await one.control(code, 'reverse'))).toBe(true);
      await becomes(purse, before);
      expect(await one.status(code)).toEqual({
        ...failed,
        correction: { ...correction, reason: 'reversed_after_failure', receipt_number: paid.receipt_number },
        updated_at: NOTHING,
      });
      expect(fixture.receiver.of(code).map(({ event, payload }) => [event, payload.status])).toEqual([
        ['transaction.processing', 'PROCESSING'],
        ['transaction.failed', 'FAILED'],
        ['transaction.corrected', 'FAILED'],
      ]);
    },
  'a payment made after a rejection too, and the debt stays': async () => {
    const purse: Purse = { client: two, currency: 'NGN' };
    const before = await balance(purse);
    const code = await transfer(purse, '0001');
    await ends(purse, code, 'FAILED');
    expect(done(await two.control(code, 'pay'))).toBe(true);
    await becomes(purse, before - AMOUNT);
  },
  'a payment made after COMPLETE is not charged: the provider paid twice, the partner once': async () => {
    const purse: Purse = { client: one, currency: 'MWK' };
    const before = await balance(purse);
    const code = await transfer(purse, '7890');
    const complete = await ends(purse, code, 'COMPLETE');
    expect(done(await one.control(code, 'pay'))).toBe(true);
    await ends(purse, await transfer(purse, '7891'), 'COMPLETE');
    expect(await balance(purse)).toBe(before - 2n * AMOUNT);
    expect(await one.status(code)).toEqual({ ...complete, updated_at: NOTHING });
    expect(fixture.receiver.of(code).map(({ payload }) => payload.status)).toEqual(['PROCESSING', 'COMPLETE']);
  },
  'a payment made while it is held in progress is simply the payment': async () => {
    const purse: Purse = { client: two, currency: 'MWK' };
    const before = await balance(purse);
    const code = await transfer(purse, '0004');
    expect(done(await two.control(code, 'pay'))).toBe(true);
    await ends(purse, code, 'COMPLETE');
    expect(await balance(purse)).toBe(before - AMOUNT);
  },
  'a payment taken back is REVERSED: amount and fee are in the wallet again, and both ends are told': async () => {
    const purse: Purse = { client: one, currency: 'KES' };
    const before = await balance(purse);
    const code = await transfer(purse, '7890');
    const complete = await ends(purse, code, 'COMPLETE');
    expect(await balance(purse)).toBe(before - AMOUNT - KES_FEE);
    expect(done(await one.control(code, 'reverse'))).toBe(true);
    const reversed = await ends(purse, code, 'REVERSED');
    expect(await balance(purse)).toBe(before);
    expect(reversed).toMatchObject({
      receipt_number: complete.receipt_number,
      public_name: complete.public_name,
      is_released: false,
      failure_code: '',
    });
    await until(() => fixture.receiver.of(code).length === 3, { withinMs: END_WITHIN_MS, what: 'three webhooks' });
    expect(fixture.receiver.of(code).map(({ event, payload }) => [event, payload.status])).toEqual([
      ['transaction.processing', 'PROCESSING'],
      ['transaction.complete', 'COMPLETE'],
      ['transaction.reversed', 'REVERSED'],
    ]);
  },
  'a payment taken back of a disbursement with a markup gives back what was taken, the markup taken again':
    async () => {
      const purse: Purse = { client: two, currency: 'KES' };
      const before = await balance(purse);
      const answer = await two.disburse('KES', {
        amount: 1000,
        fee: 100,
        ...kesDestination('mobile'),
        callback_url: fixture.receiver.url(),
      });
      const code = dataOf<{ transaction_code: string }>(answer).transaction_code;
      await ends(purse, code, 'COMPLETE');
      expect(await balance(purse)).toBe(before - AMOUNT + 10_000n);
      expect(done(await two.control(code, 'reverse'))).toBe(true);
      await ends(purse, code, 'REVERSED');
      expect(await balance(purse)).toBe(before);
    },
};

describe('the control', () => {
  const told = new Map<string, Promise<void>>();

  beforeAll(() => {
    for (const [title, story] of Object.entries(STORIES)) {
      const telling = story();
      telling.catch(() => undefined);
      told.set(title, telling);
    }
  });

  it.each(Object.keys(STORIES))(
    '%s',
    async (title) => {
      await told.get(title);
    },
    60_000,
  );
});

describe('a control as early as it likes', () => {
  it.each<[string, ControlAction]>([
    ['0004', 'release'],
    ['0007', 'release'],
    ['0007', 'top_up'],
  ])(
    'opens %s by %s right after the answer',
    async (number, action) => {
      const purse: Purse = { client: one, currency: 'KES' };
      const code = await transfer(purse, number);
      expect(done(await one.control(code, action))).toBe(true);
      await ends(purse, code, 'COMPLETE');
      for (const again of ['release', 'top_up'] as const) expect(done(await one.control(code, again))).toBe(false);
    },
    60_000,
  );
});

describe('float', () => {
  const ours = (): Purse => ({ client: one, currency: 'KES' });
  const theirs = (): Purse => ({ client: two, currency: 'KES' });

  /** A later transfer is paid while this one stays. */
  async function staysParked(code: string, { client }: Purse): Promise<void> {
    await ends(ours(), await transfer(ours(), '7890'), 'COMPLETE');
    expect((await client.status(code))?.status).toBe('PROCESSING');
  }

  it('given twice, or for an ended payout, is used for no other payout', async () => {
    const account = accountNumber('0007');
    const code = await transfer(ours(), '0007', account);
    expect([done(await one.control(code, 'top_up')), done(await one.control(code, 'top_up'))]).toEqual([true, false]);
    await ends(ours(), code, 'COMPLETE');
    expect(done(await one.control(code, 'top_up'))).toBe(false);
    const next = await transfer(theirs(), '0007', account);
    await staysParked(next, theirs());
    expect(done(await two.control(next, 'top_up'))).toBe(true);
    await ends(theirs(), next, 'COMPLETE');
  }, 60_000);

  it('pays the payout it was given for, and not another one to the same recipient', async () => {
    const account = accountNumber('0007');
    const [first, second] = [await transfer(ours(), '0007', account), await transfer(theirs(), '0007', account)];
    expect(done(await two.control(second, 'top_up'))).toBe(true);
    await ends(theirs(), second, 'COMPLETE');
    await staysParked(first, ours());
    expect(done(await one.control(first, 'release'))).toBe(true);
    await ends(ours(), first, 'COMPLETE');
  }, 60_000);
});

describe('a control that has nothing to do', () => {
  it('says so, and changes nothing', async () => {
    const purse: Purse = { client: one, currency: 'KES' };
    const code = await transfer(purse, '7890');
    const complete = await ends(purse, code, 'COMPLETE');
    const answer = await one.control(code, 'release');
    expect(answer.body).toEqual({
      code: 200,
      message: expect.any(String),
      data: { transaction_code: code, status: 'COMPLETE', done: false },
    });
    expect(await one.status(code)).toEqual(complete);
  }, 60_000);
});

describe('whose payout it is', () => {
  let code: string;
  let complete: StatusRow;

  beforeAll(async () => {
    const purse: Purse = { client: one, currency: 'KES' };
    code = await transfer(purse, '7890');
    complete = await ends(purse, code, 'COMPLETE');
  }, 30_000);

  const post = (client: ApiClient, path: string, headers = {}): Promise<Answer> =>
    client.send({ path, body: {}, headers });
  const ACTIONS = ['release', 'top-up', 'pay', 'reverse'];

  it.each(ACTIONS)('%s of another partner’s payout is 404, as of one that is not there', async (action) => {
    const answers = [
      await post(two, `/sandbox/payouts/${code}/${action}`),
      await post(one, `/sandbox/payouts/never-sent/${action}`),
    ];
    for (const { status, headers, body } of answers) {
      expect([status, headers['error-code'], Object.keys(body ?? {})]).toEqual([404, 'not_found', ['code', 'message']]);
    }
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it.each(['destroy', 'top_up', 'Pay', ''])('an unknown action is 404: "%s"', async (action) => {
    const { status, headers } = await post(one, `/sandbox/payouts/${code}/${action}`);
    expect([status, headers['error-code']]).toEqual([404, 'not_found']);
  });

  it.each<[string, Record<string, string>, number]>([
    ['no key', { 'x-api-key': '' }, 401],
    ['the checkout key', {}, 403],
  ])('%s does not open it', async (_, headers, expected) => {
    const all = expected === 403 ? { 'x-api-key': one.partner.checkout_key } : headers;
    expect((await post(one, `/sandbox/payouts/${code}/reverse`, all)).status).toBe(expected);
  });

  it('a wrong method is 405', async () => {
    const { status, headers } = await one.send({ method: 'GET', path: `/sandbox/payouts/${code}/pay` });
    expect([status, headers['allow']]).toEqual([405, 'POST']);
  });

  it('and after all of that nothing has happened to it', async () => {
    expect(await one.status(code)).toEqual(complete);
  });
});

describe('actions', () => {
  it('come once each, however often they are sent: two pays are two payments, and the checker counts them', async () => {
    const purse: Purse = { client: one, currency: 'KES' };
    const code = await transfer(purse, '7892');
    await ends(purse, code, 'COMPLETE');
    const actions: ControlAction[] = ['pay', 'pay'];
    for (const action of actions) expect(done(await one.control(code, action))).toBe(true);
    expect(one.sent.find((payout) => payout.code === code)?.controls).toEqual(actions);
  }, 60_000);
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await fixture.checker.expectSound({ everyWebhook: true });
  }, 240_000);
});
