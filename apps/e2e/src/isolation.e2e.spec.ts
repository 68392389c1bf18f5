import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dataOf,
  drawn,
  ledgerCheck,
  FIXTURE_WITHIN_MS,
  until,
  watchStatus,
  type Answer,
  type ApiClient,
  type StatusRow,
} from '@vuka/testing';

import {
  documentedOperations,
  isPayout,
  sendOperation,
  type Operation,
  type Values,
} from './isolation-document.spec-support.js';
import { shutKeys, type ShutKeys } from './isolation-keys.spec-support.js';
import { NAMING, NAMING_NOTHING, NO_FILTERS, rowOf, type Try } from './isolation-rows.spec-support.js';
import { GONE, Things } from './isolation-things.spec-support.js';
import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';

const END_WITHIN_MS = 60_000;
/** Refused keys per operation; in all, every key is used many times. */
const KEYS_OF_EACH = 4;
/** Headers that differ per answer. The text is compared, so its length need not be. */
const OWN_OF_EACH_ANSWER = /^(date|request-id|ratelimit.*|content-length|connection|keep-alive)$/;

let fixture: PayFixture;
/** The owner has things; the stranger tries to reach them. */
let owner: ApiClient;
let stranger: ApiClient;
let operations: readonly Operation[];
let things: Things;
/** Per operation; each name is for one try, which several tests send. */
let tries: ReadonlyMap<Operation, readonly Try[]>;
let before: string;
let keys: ShutKeys;

beforeAll(async () => {
  fixture = await openPayFixture({ chains: ['CELO'] });
  ({ two: owner, one: stranger } = fixture);
  operations = await documentedOperations(stranger);
  things = new Things(fixture, owner);
  await things.make({
    payouts: operations.filter(isPayout).length,
    deposits: operations.filter(({ path }) => path.startsWith('/v1/pay')).length,
  });
  tries = new Map(operations.map((operation) => [operation, rowOf(operation)?.tries?.(things) ?? []]));
  keys = await shutKeys(fixture.vuka, { owner, stranger });
  before = await things.standing();
}, FIXTURE_WITHIN_MS + 150_000);

afterAll(() => fixture.end(), 60_000);

const locked = (): Operation[] => operations.filter(({ kinds }) => kinds.length > 0);
const triesOf = (operation: Operation): readonly Try[] => tries.get(operation) ?? [];
const valuesOf = ({ named, besides = {} }: Try, whose: 'theirs' | 'nobodys'): Values => ({
  ...besides,
  ...Object.fromEntries(Object.entries(named).map(([field, pair]) => [field, pair[whose]])),
});

function seen({ status, headers, text }: Answer, sent: Values, anew: readonly string[] = []): unknown {
  // Short ids stay: "8" is also in "utf-8". If an answer contains it, the two answers differ and the test fails.
  const plain = (whole: string): string =>
    Object.entries(sent).reduce(
      (rest, [field, value]) => (/^\d{1,3}$/.test(String(value)) ? rest : rest.replaceAll(String(value), `<${field}>`)),
      whole,
    );
  const named = Object.entries(headers)
    .filter(([name]) => !OWN_OF_EACH_ANSWER.test(name))
    .map(([name, value]) => [name, plain(value)]);
  const body = anew.reduce(
    (rest, member) => rest.replace(new RegExp(`"${member}":("[^"]*"|[^,}]*)`), `"${member}":<new>`),
    plain(text),
  );
  return { status, headers: Object.fromEntries(named), body };
}

/** The answer must not contain anything of the owner that was not sent. */
function expectNothingOfTheirs(what: string, { text, headers }: Answer, sent: Values = {}): void {
  const told = Object.values(sent)
    .reduce<string>((rest, value) => rest.replaceAll(String(value), ''), `${text} ${JSON.stringify(headers)}`)
    .toLowerCase();
  expect([what, things.marks().filter((mark) => told.includes(mark.toLowerCase()))]).toEqual([what, []]);
}

describe('the document', () => {
  it('has no operation or field that these tests do not know', () => {
    expect(operations.length).toBeGreaterThan(50);
    expect(operations.filter((operation) => rowOf(operation) === null).map(({ name }) => name)).toEqual([]);
    for (const operation of operations) {
      const row = rowOf(operation);
      expect([operation.name, operation.scopes]).toEqual([operation.name, operation.kinds.map(() => row?.scope)]);
      const names = operation.fields.map(({ name }) => name);
      expect([operation.name, names.filter((name) => !NAMING.has(name) && !NAMING_NOTHING.has(name))]).toEqual([
        operation.name,
        [],
      ]);
    }
  });
});

describe('an object of another partner', () => {
  /** The stranger's pays with the owner's transfers, and with nobody's. */
  const claimed: [string, string][] = [];

  it('is tried in every field of every operation that can name it', () => {
    for (const operation of locked()) {
      const tried = new Set(triesOf(operation).flatMap(({ named }) => Object.keys(named)));
      const naming = operation.fields.map(({ name }) => name).filter((name) => NAMING.has(name));
      expect([operation.name, naming.filter((name) => !tried.has(name))]).toEqual([operation.name, []]);
    }
  });

  it('gets the same answer as an unknown one, to the byte', async () => {
    for (const operation of locked())
      for (const one of triesOf(operation).filter(({ makes }) => !makes)) await expectSame(operation, one);
  }, 120_000);

  it('is in no answer without a name, on no page of a list, and behind no cursor of its owner', async () => {
    for (const operation of operations.filter((one) => !isPayout(one) && triesOf(one).length === 0)) {
      expectNothingOfTheirs(operation.name, await sendOperation(stranger, operation));
    }
    const lists = operations.filter(
      ({ path, fields }) => fields.some(({ name }) => name === 'cursor') && !path.endsWith('/resend'),
    );
    expect(lists.length).toBeGreaterThan(4);
    for (const operation of lists) {
      const all = { ...NO_FILTERS, ...days() };
      const page = await sendOperation(owner, operation, { ...all, limit: 1 });
      const cursor = page.body?.next_cursor;
      if (typeof cursor !== 'string')
        throw new Error(`${operation.name} has one page of the owner's only: ${page.text}`);
      expectNothingOfTheirs(operation.name, await sendOperation(stranger, operation, { ...all, cursor }), { cursor });
      expectNothingOfTheirs(operation.name, await sendOperation(stranger, operation, all));
    }
  }, 60_000);

  it('does not reserve its name: another partner can use the same name', async () => {
    for (const operation of locked()) {
      for (const one of triesOf(operation).filter(({ makes: isMaking }) => isMaking)) {
        const [theirs, nobodys] = await expectSame(operation, one);
        if ('transaction_hash' in one.named) claimed.push([codeOf(theirs), codeOf(nobodys)]);
      }
    }
  }, 120_000);

  it('pays for nothing: a transfer of another partner ends like an unknown one', async () => {
    expect(claimed.length).toBeGreaterThan(5);
    for (const [theirs, nobodys] of claimed) {
      const [stolen, lost] = await Promise.all(
        [theirs, nobodys].map((code) => watchStatus(stranger, code, 'FAILED', END_WITHIN_MS)),
      );
      const same = (row: StatusRow | undefined): object => ({
        ...row,
        id: 0,
        transaction_code: '',
        transaction_hash: '',
        created_at: '',
        updated_at: '',
      });
      expect(stolen?.row.failure_code).toBe('no_matching_transfer');
      expect(same(stolen?.row)).toEqual(same(lost?.row));
    }
  }, 120_000);

  async function expectSame(operation: Operation, one: Try): Promise<readonly [Answer, Answer]> {
    const send = async (whose: 'theirs' | 'nobodys'): Promise<Answer> => {
      const sent = valuesOf(one, whose);
      const answer = await sendOperation(stranger, operation, sent);
      const what = `${operation.name} ${Object.keys(one.named).join()} ${whose}`;
      expect([what, answer.status, answer.headers['error-code'], answer.text]).toEqual([
        what,
        one.answer[0],
        one.answer[1],
        answer.text,
      ]);
      expectNothingOfTheirs(what, answer, sent);
      return answer;
    };
    const answers = [await send('theirs'), await send('nobodys')] as const;
    expect([operation.name, seen(answers[0], valuesOf(one, 'theirs'), one.anew)]).toEqual([
      operation.name,
      seen(answers[1], valuesOf(one, 'nobodys'), one.anew),
    ]);
    return answers;
  }
});

describe('an invalid key', () => {
  it('gets one answer, whatever is wrong with it and whatever it requests', async () => {
    for (const operation of locked()) {
      const answers = new Set<string>();
      for (const [why, key] of drawn(`what is wrong with the key of ${operation.name}`, keys.unknown, KEYS_OF_EACH)) {
        for (const sent of namedAnyhow(operation)) {
          const answer = await sendOperation(owner, operation, sent, key);
          expect([operation.name, why, answer.status, answer.headers['error-code']]).toEqual([
            operation.name,
            why,
            401,
            'unauthorized',
          ]);
          expectNothingOfTheirs(`${operation.name} ${why}`, answer, sent);
          answers.add(JSON.stringify(seen(answer, sent)));
        }
      }
      expect([operation.name, answers.size]).toEqual([operation.name, 1]);
    }
  }, 180_000);

  it('by its kind, scopes or address is told so, and nothing about the requested object', async () => {
    for (const operation of locked()) {
      const scope = rowOf(operation)?.scope;
      // A key of that kind and scope opens it, but its address list refuses us.
      const shut = keys.forbidden.filter(
        ({ why, kind, scopes }) =>
          why === 'address' || !operation.kinds.includes(kind) || (why === 'scope' && !scopes.includes(String(scope))),
      );
      for (const { why, scopes, key } of drawn(`what the key of ${operation.name} is not for`, shut, KEYS_OF_EACH)) {
        const answers = new Set<string>();
        for (const sent of namedAnyhow(operation)) {
          const answer = await sendOperation(owner, operation, sent, key);
          expect([operation.name, why, scopes, answer.status, answer.headers['error-code']]).toEqual([
            operation.name,
            why,
            scopes,
            403,
            'forbidden',
          ]);
          expectNothingOfTheirs(`${operation.name} ${why}`, answer, sent);
          answers.add(JSON.stringify(seen(answer, sent)));
        }
        expect([operation.name, why, answers.size]).toEqual([operation.name, why, 1]);
      }
    }
  }, 180_000);

  it('would be accepted with the scope of the operation', async () => {
    const reads = locked().filter((operation) => ['read', 'lookups'].includes(String(rowOf(operation)?.scope)));
    for (const operation of reads) {
      for (const { kind, scopes, key } of keys.forbidden.filter(({ why }) => why === 'scope')) {
        if (!operation.kinds.includes(kind) || !scopes.includes(String(rowOf(operation)?.scope))) continue;
        const { status } = await sendOperation(owner, operation, {}, key);
        expect([operation.name, scopes, [401, 403].includes(status)]).toEqual([operation.name, scopes, false]);
      }
    }
  }, 60_000);

  function namedAnyhow(operation: Operation): Values[] {
    const [one] = isPayout(operation) ? [] : triesOf(operation);
    return one === undefined ? [{}] : [valuesOf(one, 'theirs'), valuesOf(one, 'nobodys')];
  }
});

describe('what the owner has', () => {
  it('has not changed, and caused no more webhooks', async () => {
    expect(await things.standing()).toBe(before);
    expect(fixture.receiver.received.filter(({ path }) => path === GONE).length).toBeLessThanOrEqual(2);
  }, 60_000);

  it('is still there for the owner under the same names', async () => {
    for (const operation of locked().filter(({ path }) => !path.startsWith('/sandbox/'))) {
      for (const one of triesOf(operation).filter(
        ({ answer: [status], isNotTheOwners }) => status === 404 && !isNotTheOwners,
      )) {
        const { status, text } = await sendOperation(owner, operation, { ...days(), ...valuesOf(one, 'theirs') });
        const what = `${operation.name} ${JSON.stringify(one.named)}`;
        expect([what, status === 404 && !isInOtherCurrency(operation) ? text : '']).toEqual([what, '']);
      }
    }
    const held = await owner.control(things.codes.held, 'release');
    expect(dataOf<{ done: boolean }>(held).done).toBe(true);
  }, 60_000);

  it('is sound, seen from outside', async () => {
    await until(async () => (await owner.status(things.codes.held))?.status === 'COMPLETE', {
      withinMs: 60_000,
      what: 'what was held is paid',
    });
    await fixture.checker.expectSound();
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
  }, 240_000);

  /** A quote of KES cannot be used in another currency. */
  function isInOtherCurrency({ path }: Operation): boolean {
    return /^\/v1\/pay\/(?!kes)/.test(path);
  }
});

const codeOf = (answer: Answer): string => dataOf<{ transaction_code: string }>(answer).transaction_code;

function days(): Values {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return { start_date: day(Date.now() - 86_400_000), end_date: day(Date.now() + 86_400_000) };
}
