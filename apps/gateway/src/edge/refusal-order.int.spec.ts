import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressRanges } from '@vuka/config';
import { ManualClock } from '@vuka/runtime';

import type { StoredKey } from '../keys/keys.store.js';
import type { Operation } from '../operations/operation.js';
import { OPERATIONS } from '../public-operations.js';
import {
  ask,
  askRaw,
  limitsOf,
  startTestGateway,
  storedKey,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

const ORDER = [
  ['malformed', 400, 'invalid_request'],
  ['path', 404, 'not_found'],
  ['method', 405, 'invalid_request'],
  ['key', 401, 'unauthorized'],
  ['kind', 403, 'forbidden'],
  ['scope', 403, 'forbidden'],
  ['address', 403, 'forbidden'],
  ['suspension', 403, 'forbidden'],
  ['limit', 429, 'rate_limited'],
  ['currency', 404, 'not_found'],
  ['body', 400, 'invalid_request'],
] as const;
type Fault = (typeof ORDER)[number][0];

/** Tells apart refusals with the same status. */
const MESSAGE: Partial<Record<Fault, RegExp>> = {
  malformed: /Host must be sent once/,
  path: /nothing is offered at this path/,
  kind: /takes a (consumer|checkout) key/,
  scope: /needs the scope/,
  address: /may not be used from the address/,
  suspension: /suspended/,
  currency: /names no supported currency/,
  body: /not valid JSON/,
};

const RATES = { ratePerS: 0.01, burst: 1 };
const clock = new ManualClock(new Date());
let gateway: TestGateway;
let keys = 0;

beforeAll(async () => {
  gateway = await startTestGateway({ limits: limitsOf({ partner: RATES, lookups: RATES }, clock) });
});

afterAll(() => gateway.stop());

function faultsOf(operation: Operation, path: string): Fault[] {
  const { key } = operation;
  const applies: Partial<Record<Fault, boolean>> = {
    malformed: true,
    path: true,
    method: true,
    key: key !== null,
    kind: key !== null && key !== 'either',
    scope: key !== null,
    address: key !== null,
    suspension: operation.notWhileSuspended === true,
    limit: key !== null,
    currency: path.includes(':currency'),
    body: operation.method === 'POST',
  };
  return ORDER.map(([fault]) => fault).filter((fault) => applies[fault]);
}

function newKey(kind: 'consumer' | 'checkout', extra: Partial<StoredKey>): string {
  const text = `vk_test_${kind}_o${String(++keys)}_AAAAAAAAAAAAAAAAAAAAAAAA`;
  gateway.keys.set(...storedKey(text, 1, extra));
  return text;
}

/** A key with these faults; another key uses up the limit. */
async function keyWith(faults: ReadonlySet<Fault>, { key: wanted }: Operation, path: string): Promise<string> {
  if (wanted === null) return '';
  const right = wanted === 'either' ? 'consumer' : wanted;
  const other = right === 'consumer' ? 'checkout' : 'consumer';
  clock.advance(1_000_000);
  if (faults.has('limit')) await ask(gateway.port, { path, headers: { 'x-api-key': newKey(right, {}) } });
  if (faults.has('key')) return 'nonsense';
  return newKey(faults.has('kind') ? other : right, {
    ...(faults.has('scope') && { scopes: [] }),
    ...(faults.has('address') && { addresses: AddressRanges.of(['192.0.2.0/24']) }),
    ...(faults.has('suspension') && { suspended: true }),
  });
}

async function answerTo(operation: Operation, route: string, faults: ReadonlySet<Fault>): Promise<string> {
  const good = route.replace(':currency', 'kes').replace(/:\w+/, '1');
  const at = faults.has('currency') ? route.replace(':currency', 'xyz').replace(/:\w+/, '1') : good;
  const path = faults.has('path') ? `${at}/nothing/here` : at;
  const method = faults.has('method') ? 'DELETE' : operation.method;
  const key = await keyWith(faults, operation, good);
  const body = faults.has('body') ? '{' : '';
  const host = faults.has('malformed') ? ['Host: x', 'Host: y'] : ['Host: x'];
  const lines = [`${method} ${path} HTTP/1.1`, ...host, 'Connection: close', `x-api-key: ${key}`];
  const typed = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${String(body.length)}`];
  return askRaw(gateway.port, [...lines, ...typed, '', body].join('\r\n'));
}

const CASES = Object.entries<Operation>(OPERATIONS).flatMap(([name, operation]) =>
  operation.paths.map((path): [string, string, Operation] => [name, path, operation]),
);

describe('the order of refusals', () => {
  it.each(CASES)('%s at %s: a refusal is given only if no earlier one applies', async (_, path, operation) => {
    const faults = faultsOf(operation, path);
    for (const [place, fault] of faults.entries()) {
      const answer = await answerTo(operation, path, new Set(faults.slice(place)));
      const [, status, code] = ORDER.find(([name]) => name === fault) ?? [];
      const told = [fault, answer.slice(9, 12), /\r\nerror-code: (\w+)/i.exec(answer)?.[1]];
      expect(told).toEqual([fault, String(status), code]);
      expect([fault, answer]).toEqual([fault, expect.stringMatching(MESSAGE[fault] ?? /./)]);
    }
  });
});
