import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CURRENCIES, requestShapes, type Currency, type RequestShape, type ShapedOperation } from '@vuka/domain';
import {
  dataOf,
  eachOf,
  minorOf,
  openSharedFixture,
  FIXTURE_WITHIN_MS,
  until,
  type Answer,
  type ApiClient,
  type DisburseBody,
  type Fixture,
  type StatusRow,
  type TransferBody,
} from '@vuka/testing';

import {
  acceptedOf,
  beside,
  beyondOf,
  malformedOf,
  minimumOf,
  missingOf,
  pathOf,
  shownOf,
  type Accepted,
  type Fields,
  type Refused,
} from './matrix-cases.spec-support.js';
import { CELLS, nameOf, NOT_OFFERED, type Cell } from './matrix-cells.spec-support.js';

/**
 * Currency × operation × kind of recipient, each through the gateway. All valid requests go out first, at once; the
 * tests then check the results.
 * The checker makes sure that refused money is in no wallet and no provider's book.
 */
let fixture: Fixture;

const OPERATIONS: Readonly<Record<Cell['operation'], ShapedOperation>> = {
  'bank-transfer': 'bank_transfer',
  disburse: 'disburse',
  validation: 'validation',
};
const AT_ONCE = 16;
const LOOKUPS_AT_ONCE = 4;
const END_WITHIN_MS = 60_000;
const PROBLEM = { accept: 'application/problem+json' };

interface Case extends Accepted {
  readonly cell: Cell;
}

const CASES: readonly Case[] = CELLS.flatMap((cell) => [
  ...acceptedOf(cell).map((one) => ({ ...one, cell })),
  ...shapesOf(cell).map(({ example }) => ({
    cell,
    name: 'the published example',
    segment: cell.market.toLowerCase(),
    body: example,
    shown: shownOf(cell, example, bankOf(example)),
  })),
]);
const PAYOUTS = CASES.filter(({ cell }) => cell.operation !== 'validation');
const LOOKUPS = CASES.filter(({ cell }) => cell.operation === 'validation');
const answers = new Map<Case, Answer>();
const rows = new Map<Case, StatusRow>();

const clientOf = ({ operation }: Cell): ApiClient => (operation === 'bank-transfer' ? fixture.two : fixture.one);

beforeAll(async () => {
  fixture = await openSharedFixture();
  await eachOf(PAYOUTS, AT_ONCE, async (one) => answers.set(one, await send(one)));
  const paid = [...answers].filter(([, { status }]) => status === 200);
  await eachOf(paid, AT_ONCE, async ([one, answer]) => rows.set(one, await ended(one, answer)));
  // On a quiet machine: if a provider does not answer a lookup in time, it is a 503.
  await eachOf(LOOKUPS, LOOKUPS_AT_ONCE, async (one) => answers.set(one, await told(one)));
}, FIXTURE_WITHIN_MS + END_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

function send({ cell, segment, body }: Pick<Case, 'cell' | 'segment' | 'body'>): Promise<Answer> {
  const client = clientOf(cell);
  switch (cell.operation) {
    case 'bank-transfer':
      return client.bankTransfer(cell.market, body as unknown as TransferBody, {}, segment);
    case 'disburse':
      return client.disburse(cell.market, body as unknown as DisburseBody, {}, segment);
    case 'validation':
      return client.send({ path: pathOf(cell, segment), body });
  }
}

async function ended({ cell, name }: Case, answer: Answer): Promise<StatusRow> {
  const { transaction_code } = dataOf<{ transaction_code: string }>(answer);
  return until(
    async () => {
      const row = await clientOf(cell).status(transaction_code, cell.market);
      return row !== null && /^(COMPLETE|FAILED|REVERSED)$/.test(row.status) && row;
    },
    { withinMs: END_WITHIN_MS, what: `${nameOf(cell)}, ${name}: it ends`, everyMs: 250 },
  );
}

function told(one: Case): Promise<Answer> {
  const ask = async (): Promise<Answer | false> => {
    const answer = await send(one);
    return answer.status !== 503 && answer;
  };
  return until(ask, { withinMs: 60_000, what: `${nameOf(one.cell)}, ${one.name}: it is told`, everyMs: 500 });
}

function shapesOf({ operation, market, kind, paidIn }: Cell): readonly RequestShape[] {
  const currency = (CURRENCIES as Readonly<Record<string, Currency>>)[market];
  return currency === undefined
    ? []
    : requestShapes(OPERATIONS[operation], currency).filter(
        (shape) => shape.kind === kind && shape.paidIn === (paidIn ?? market),
      );
}

function bankOf({ bank_code }: Fields): Fields {
  return bank_code === undefined ? {} : { bank_code };
}

/** Checks both formats of errors; [] if all are right. */
async function wrongRefusals(cell: Cell, refused: readonly Refused[]): Promise<string[]> {
  const path = pathOf(cell);
  const prefix = cell.operation === 'bank-transfer' ? 'Failed - Bad Request: ' : '';
  const faults = await eachOf(refused, AT_ONCE, async ({ name, body, code, field }) => {
    const [plain, problem] = await Promise.all([
      clientOf(cell).send({ path, body }),
      clientOf(cell).send({ path, body, headers: PROBLEM }),
    ]);
    const { message = '' } = plain.body ?? {};
    const wrong = [
      plain.status === 400 && plain.headers['error-code'] === code
        ? ''
        : `is ${plain.status} ${String(plain.headers['error-code'])}, not 400 ${code}`,
      message.startsWith(prefix) && message.includes(field) ? '' : 'does not name the field',
      pointersOf(problem).includes(`#/${field}`) ? '' : `points at ${pointersOf(problem).join(' ')}`,
    ].filter((text) => text !== '');
    return wrong.length === 0 ? [] : [`${name}: ${wrong.join(', ')}: ${message}`];
  });
  return faults.flat();
}

function pointersOf({ body }: Answer): string[] {
  return ((body as { errors?: { pointer: string }[] } | undefined)?.errors ?? []).map(({ pointer }) => pointer);
}

const leastText = (cell: Cell): RegExp =>
  cell.operation === 'disburse'
    ? new RegExp(`^The amount field must be at least ${grouped(cell.amounts?.min ?? 0)}$`)
    : /^Failed - Bad Request: amount must be between/;
const grouped = (whole: number): string => String(whole).replace(/\B(?=(\d{3})+$)/g, ',');

describe('the registry', () => {
  it('has exactly the cells that are listed here', () => {
    const offered = Object.values<Currency>(CURRENCIES).flatMap((currency) =>
      (Object.keys(OPERATIONS) as Cell['operation'][]).flatMap((operation) =>
        requestShapes(OPERATIONS[operation], currency).map(({ kind, paidIn }) =>
          nameOf({ operation, market: currency.code, kind, paidIn: paidIn === 'USD' ? paidIn : undefined }),
        ),
      ),
    );
    expect(offered.sort()).toEqual(CELLS.map(nameOf).sort());
  });

  it.each(CELLS.map((cell) => [nameOf(cell), cell] as const))(
    '%s: asks for the same fields, and knows the same networks',
    (_, cell) => {
      const [{ schema }, ...others] = shapesOf(cell) as [RequestShape];
      const { required, properties } = schema as {
        required: string[];
        properties: Readonly<Record<string, { enum?: string[]; description?: string } | undefined>>;
      };
      expect(others).toEqual([]);
      expect(required.filter((field) => field !== 'currency').sort()).toEqual([...cell.required].sort());
      expect(required.includes('currency')).toBe(cell.paidIn !== undefined);
      const { networks = {} } = cell;
      expect(properties['mobile_network']?.enum ?? []).toEqual(Object.keys(networks));
      const aliases = Object.values(networks).flatMap((network) => network.aliases);
      expect(properties['mobile_network']?.description ?? '').toContain(aliases.join(', '));
    },
  );
});

describe('what must pass', () => {
  const named = (cases: readonly Case[]) => cases.map((one) => [nameOf(one.cell), one.name, one] as const);

  it.each(named(PAYOUTS))('%s: %s', (_cell, _name, one) => {
    const answer = answers.get(one);
    expect([answer?.status, answer?.body?.message]).toEqual([200, expect.stringMatching(/./)]);
    expect(rows.get(one)).toMatchObject({ ...one.shown, receipt_number: expect.stringMatching(/^\S+$/) });
  });

  it.each(named(LOOKUPS))('%s: %s', (_cell, _name, one) => {
    const answer = answers.get(one);
    expect([answer?.status, answer?.body?.message]).toEqual([200, expect.stringMatching(/./)]);
    const isBank = one.cell.kind === 'bank';
    expect(answer?.body?.data).toEqual({ ...one.shown, ...(isBank && { bank_name: expect.stringMatching(/./) }) });
  });

  it('validation without a currency is that of KES', async () => {
    for (const cell of CELLS.filter(({ operation, market }) => operation === 'validation' && market === 'KES')) {
      const body = minimumOf(cell);
      for (const path of ['/v1/validation', '/v1/validation/'])
        expect(dataOf<object>(await fixture.one.send({ path, body }))).toEqual(shownOf(cell, body));
    }
  });
});

describe.each(CELLS.map((cell) => [nameOf(cell), cell] as const))('%s', (_, cell) => {
  it('names each field that is missing', async () => {
    expect(await wrongRefusals(cell, missingOf(cell))).toEqual([]);
  });

  it('names each field that is malformed', async () => {
    expect(await wrongRefusals(cell, malformedOf(cell))).toEqual([]);
  });

  it('names every fault at once, the first in its message', async () => {
    const [first = '', ...others] = cell.required.filter((field) => field !== 'type');
    const wrong = Object.fromEntries([first, ...others].map((field) => [field, true]));
    const body = { ...minimumOf(cell), ...wrong };
    const problem = await clientOf(cell).send({ path: pathOf(cell), body, headers: PROBLEM });
    expect(pointersOf(problem).sort()).toEqual([first, ...others].map((field) => `#/${field}`).sort());
    const { errors = [], detail = '' } = problem.body as unknown as { errors?: { detail: string }[]; detail?: string };
    expect(detail.replace('Failed - Bad Request: ', '')).toBe(errors[0]?.detail);
    expect((await clientOf(cell).send({ path: pathOf(cell), body })).body?.message).toBe(detail);
  });

  if (cell.amounts === undefined) return;
  const { amounts } = cell;

  it('refuses amounts beyond its limits, and too many decimals', async () => {
    const refused = beyondOf(cell);
    expect(await wrongRefusals(cell, refused)).toEqual([]);
    const { body } = await clientOf(cell).send({ path: pathOf(cell), body: refused[0]?.body ?? {} });
    expect(body?.message).toMatch(leastText(cell));
  });

  it('accepts its maximum if the wallet covers it: one minor unit less, and the whole balance', async () => {
    const client = clientOf(cell);
    for (const amount of [beside(amounts.max, -1n, amounts.decimals), String(amounts.max)]) {
      const wallet = cell.paidIn ?? cell.market;
      const [has, asked] = [(await client.wallets()).get(wallet) ?? 0n, minorOf(amount, wallet)];
      const answer = await send({
        cell,
        segment: cell.market.toLowerCase(),
        body: minimumOf(cell, { amount, reference: `most-${nameOf(cell).replaceAll(' ', '-')}-${amount}` }),
      });
      expect([answer.status, answer.headers['error-code']]).toEqual(
        has >= asked ? [200, undefined] : [402, 'insufficient_balance'],
      );
      if (amounts.beyondWallet !== true && amount !== String(amounts.max)) expect(answer.status).toBe(200);
    }
  });
});

describe('what is not offered', () => {
  it.each(NOT_OFFERED)('$operation $market: 404, and says where it is', async ({ operation, market, country }) => {
    const body = minimumOf(CELLS.find((cell) => cell.operation === operation)!);
    for (const segment of [market.toLowerCase(), country]) {
      const answer = await fixture.one.send({ path: pathOf({ operation, market }, segment), body });
      expect([answer.status, answer.headers['error-code']]).toEqual([404, 'not_found']);
      for (const offered of CELLS.filter((cell) => cell.operation === operation))
        expect(answer.body?.message).toContain(offered.market);
    }
  });

  it.each(['USD', 'XYZ', 'US'])('%s is no market: 404, and says which there are', async (market) => {
    for (const operation of ['bank-transfer', 'disburse', 'validation'] as const) {
      const answer = await fixture.one.send({ path: pathOf({ operation, market }), body: {} });
      expect(answer.status).toBe(404);
      for (const cell of CELLS.filter((candidate) => candidate.operation === operation))
        expect(answer.body?.message).toContain(cell.market);
    }
  });
});

describe('seen from outside', () => {
  it('all of it is sound: each payout is one payment to its own recipient, and each wallet is down by it', async () => {
    const { paid } = await fixture.checker.expectSound();
    expect(paid).toBeGreaterThanOrEqual(rows.size);
  }, 240_000);
});
