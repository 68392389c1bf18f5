import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  dataOf,
  adminAll,
  drawn,
  expectationOf,
  kesDestination,
  openSharedFixture,
  pathOf,
  SANDBOX_PATHS,
  sandboxNumberOf,
  FIXTURE_WITHIN_MS,
  until,
  watchStatus,
  type Answer,
  type ControlAction,
  type DestinationKind,
  type Fixture,
  type SentPayout,
  type Watched,
} from '@vuka/testing';

let fixture: Fixture;

interface Trial {
  readonly number: string;
  readonly currency: string;
  readonly kind?: DestinationKind;
  readonly control?: ControlAction;
}

const ASK_EVERY_MS = 400;
const ALL_ELSE = '7890';
const NUMBERS = [...SANDBOX_PATHS.map(({ number }) => number), ALL_ELSE];
/** Where the four kinds could differ: the name, one path per machine, and the second provider. */
const SPOT_NUMBERS = ['0000', '0002', '0005', '0008', '0010', ALL_ELSE];
const OTHER_CURRENCIES = ['0001', '0005', '0007', '0010', ALL_ELSE];
const KINDS_TRIED = (['mobile', 'paybill', 'till', 'bank'] as const).flatMap((kind) =>
  SPOT_NUMBERS.map((number): Trial => ({ number, currency: 'KES', kind })),
);
const CURRENCIES_TRIED = ['NGN', 'MWK'].flatMap((currency) =>
  OTHER_CURRENCIES.map((number): Trial => ({ number, currency })),
);
/** Every plain number runs; of kinds and currencies so many are drawn, and half as many. */
const DRAWN = 12;

const TRIALS: readonly Trial[] = [
  ...NUMBERS.map((number): Trial => ({ number, currency: 'KES' })),
  { number: '0004', currency: 'KES', control: 'release' },
  { number: '0007', currency: 'KES', control: 'top_up' },
  ...drawn('numbers of each kind', KINDS_TRIED, DRAWN),
  { number: '0004', currency: 'KES', kind: 'mobile', control: 'release' },
  { number: '0007', currency: 'KES', kind: 'till', control: 'top_up' },
  ...drawn('numbers in other currencies', CURRENCIES_TRIED, DRAWN / 2),
  { number: '0004', currency: 'NGN', control: 'release' },
  { number: '0007', currency: 'MWK', control: 'top_up' },
];
const PLAIN = TRIALS.filter(
  ({ currency, kind, control: steered }) => currency === 'KES' && kind === undefined && steered === undefined,
);
const titleOf = ({ number, currency, kind, control }: Trial): string =>
  `${number} in ${currency} ${kind === undefined ? 'by bank transfer' : `by disburse to a ${kind}`}${control === undefined ? '' : `, with ${control}`}`;

async function send({ number, currency, kind }: Trial): Promise<string> {
  const callback_url = fixture.receiver.url();
  if (kind !== undefined)
    return codeOf(
      await fixture.one.disburse(currency, { amount: 500, fee: 20, ...kesDestination(kind, number), callback_url }),
    );
  const banks: Partial<Record<string, string>> = { KES: '01', NGN: '044' };
  const bank_code =
    banks[currency] ??
    dataOf<{ code: string }[]>(await fixture.one.send({ path: `/v1/banks/${currency}` }))[0]?.code ??
    '';
  return codeOf(
    await fixture.one.bankTransfer(currency, {
      amount: 500,
      account_number: accountNumber(number),
      bank_code,
      callback_url,
    }),
  );
}

const codeOf = (answer: Answer): string => dataOf<{ transaction_code: string }>(answer).transaction_code;

const sentAs = (code: string): SentPayout => {
  const sent = fixture.one.sent.find((payout) => payout.code === code);
  if (sent === undefined) throw new Error(`${code} was not sent`);
  return sent;
};

async function control(code: string, action: ControlAction): Promise<void> {
  let last: Answer | undefined;
  await until(
    async () => {
      last = await fixture.one.control(code, action);
      if (last.status !== 200) return false;
      // The client asks again where no answer came in time. By then it may be over, with nothing left to do.
      const { done, status } = dataOf<{ done: boolean; status: string }>(last);
      return done || status === 'COMPLETE';
    },
    { withinMs: 60_000, what: `${action} of ${code}`, everyMs: 300 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; last answer: ${JSON.stringify(last?.body)}`);
  });
  expect(last?.body).toEqual({
    code: 200,
    message: expect.any(String),
    data: { transaction_code: code, status: expect.any(String), done: expect.any(Boolean) },
  });
}

interface Walk extends Watched {
  readonly sent: SentPayout;
}

async function walk(trial: Trial): Promise<Walk> {
  const code = await send(trial);
  const { end } = expectationOf({ ...sentAs(code), controls: trial.control === undefined ? [] : [trial.control] });
  const [watched] = await Promise.all([
    watchStatus(fixture.one, code, end, pathOf(trial.number).withinMs, ASK_EVERY_MS),
    trial.control === undefined ? undefined : control(code, trial.control),
  ]);
  return { ...watched, sent: sentAs(code) };
}

interface Shown {
  readonly timeline: readonly { readonly from: string | null; readonly event: string }[];
}

/**
 * Cells of the transaction machine by number, from the operator's view; those that lack a documented one are read
 * again.
 */
async function historiesOf(ended: readonly Walk[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const histories = new Map<string, ReadonlySet<string>>();
  const look = async (): Promise<boolean> => {
    const open = ended.map(({ sent }) => sent).filter((sent) => !isWhole(sandboxNumberOf(sent), histories));
    const shown = await adminAll<Shown>(
      fixture.vuka,
      open.map(({ code }) => ['show', code]),
    );
    shown.forEach(({ timeline }, index) =>
      histories.set(
        sandboxNumberOf(open[index]!),
        new Set(timeline.flatMap(({ from, event }) => (from === null ? [] : [`${from} ${event}`]))),
      ),
    );
    return open.every((sent) => isWhole(sandboxNumberOf(sent), histories));
  };
  await until(look, { withinMs: 60_000, what: 'all go their documented way', everyMs: 1_000 }).catch(() => undefined);
  return histories;
}

const isWhole = (number: string, histories: ReadonlyMap<string, ReadonlySet<string>>): boolean =>
  pathOf(number).cells.every((cell) => histories.get(number)?.has(cell) === true);

const walks = new Map<string, Promise<Walk>>();
let histories: Promise<ReadonlyMap<string, ReadonlySet<string>>>;

beforeAll(async () => {
  fixture = await openSharedFixture();
  for (const trial of TRIALS) {
    const walked = walk(trial);
    walked.catch(() => undefined);
    walks.set(titleOf(trial), walked);
  }
  histories = Promise.allSettled(PLAIN.map((trial) => walks.get(titleOf(trial)) as Promise<Walk>)).then((all) =>
    historiesOf(all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))),
  );
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

describe('each sandbox number ends as documented', () => {
  it.each(TRIALS.map((trial) => [titleOf(trial), trial] as const))(
    '%s',
    async (title, { number, control: steered }) => {
      const { sent, row, seen } = (await walks.get(title)) as Walk;
      expect(sandboxNumberOf(sent)).toBe(number);
      const { end, failureCode, publicName, told } = expectationOf(sent);
      const order = ['PENDING', ...told];
      expect(seen).toEqual(order.filter((status) => seen.includes(status)));
      expect(row).toMatchObject({
        failure_code: failureCode,
        public_name: publicName,
        is_released: end === 'COMPLETE',
      });
      await fixture.receiver.waitFor(
        (received) => received.some(({ payload }) => payload.transaction_code === sent.code && payload.status === end),
        { withinMs: 60_000, what: `${sent.code} is told ${end}` },
      );
      // In order of sequence; newer webhooks do not wait for older ones (decisions.md section 6).
      const statuses = fixture.receiver
        .of(sent.code)
        .sort((a, b) => a.sequence - b.sequence)
        .map(({ payload }) => payload.status);
      // An end by a control may supersede the "began" webhook (decisions.md section 6).
      if (steered === undefined) expect(statuses).toEqual(told);
      else expect(told).toEqual(expect.arrayContaining(statuses));
    },
    90_000,
  );
});

/** docs/generated/coverage.md uses these lists, so each transaction must really pass its cells. */
describe('each goes through the cells that are documented', () => {
  it.each(PLAIN.map(({ number }) => number))(
    '%s',
    async (number) => {
      const gone = (await histories).get(number) ?? new Set<string>();
      const { cells } = pathOf(number);
      // On a busy machine an unclear payment may be decided before its first check.
      const isLate = cells.includes('IN_DOUBT submitted') && !gone.has('IN_DOUBT submitted');
      const documented = isLate
        ? cells.filter((cell) => cell !== 'IN_DOUBT submitted').map((cell) => cell.replace('SUBMITTED', 'IN_DOUBT'))
        : cells;
      // There, a payment may come back before it was seen.
      const seen = gone.has('SUBMITTED reversed')
        ? documented.map((cell) => (cell === 'SUBMITTED succeeded' ? 'SUBMITTED reversed' : cell))
        : documented;
      expect([...gone].sort()).toEqual([...seen].sort());
    },
    90_000,
  );
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await fixture.checker.expectSound({ everyWebhook: true });
  }, 240_000);
});
