import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'lossless-json';

import { parseBankTransfer } from './bank-transfer.js';
import type { Currency } from '../currency/currency.js';
import { CURRENCIES } from '../currency/registry.js';
import type { JsonSchema } from './field-rules.js';
import { parseNameRequest } from './name-request.js';
import { parsePay } from './pay-request.js';
import { parseDisburse } from './payout-request.js';
import { requestShapes, type RequestShape, type ShapedOperation } from './request-shapes.js';
import { ALL_CURRENCIES, bodyOf, valueOf, type Body } from './requests.spec-support.js';
import type { Problem, Result } from '../result/result.js';
import type { Money } from '../money/money.js';

const PARSERS = {
  bank_transfer: parseBankTransfer,
  disburse: parseDisburse,
  pay: parsePay,
  validation: parseNameRequest,
} as const satisfies Record<ShapedOperation, (currency: Currency, body: Body) => Result<unknown, Problem>>;

interface ShapeCase extends RequestShape {
  readonly operation: ShapedOperation;
  readonly judge: (body: Body) => Result<unknown, Problem>;
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

const OPERATIONS = Object.keys(PARSERS) as ShapedOperation[];
const CASES = OPERATIONS.flatMap((operation) =>
  ALL_CURRENCIES.flatMap((currency) =>
    requestShapes(operation, currency).map((shape): readonly [string, ShapeCase] => {
      const { required, properties } = shape.schema as Pick<ShapeCase, 'required' | 'properties'>;
      const judge = (body: Body): Result<unknown, Problem> => PARSERS[operation](currency, body);
      return [
        `${operation} ${currency.code} ${shape.kind} in ${shape.paidIn}`,
        { ...shape, operation, judge, required, properties },
      ];
    }),
  ),
);

const sent = ({ example }: RequestShape, more: Body = {}): Body => ({ ...bodyOf(stringify(example) ?? ''), ...more });

/** The subset of JSON Schema that the rules use. */
function conforms(schema: JsonSchema, value: unknown): boolean {
  const {
    type,
    pattern,
    minLength = 0,
    maxLength = Infinity,
    minimum,
    maximum,
    multipleOf,
    anyOf,
    enum: listed,
  } = schema as {
    type?: string;
    pattern?: string;
    minLength?: number;
    maxLength?: number;
    minimum?: number;
    maximum?: number;
    multipleOf?: number;
    anyOf?: JsonSchema[];
    enum?: unknown[];
  };
  if (anyOf?.every((part) => !conforms(part, value))) return false;
  if (listed && !listed.includes(value)) return false;
  if (type !== undefined && typeof value !== type) return false;
  if (typeof value === 'string')
    return (
      value.length >= minLength &&
      value.length <= maxLength &&
      (pattern === undefined || new RegExp(pattern, 'u').test(value))
    );
  if (typeof value !== 'number') return true;
  return (
    value >= (minimum ?? value) && value <= (maximum ?? value) && (multipleOf === undefined || value % multipleOf === 0)
  );
}

const known = (schema: JsonSchema): boolean =>
  Object.keys(schema).every((key) =>
    [
      'type',
      'pattern',
      'minLength',
      'maxLength',
      'minimum',
      'maximum',
      'multipleOf',
      'anyOf',
      'enum',
      'description',
      'examples',
      'format',
    ].includes(key),
  ) && ((schema['anyOf'] ?? []) as JsonSchema[]).every(known);

const VALUES = [
  '""',
  'null',
  'true',
  '[]',
  '{}',
  '5',
  '"5"',
  '"54321"',
  '"0712345678"',
  '"0123456789"',
  '"1234567"',
  '"ACC-12345"',
  '"a b"',
  '"é"',
  '"x\\ny"',
  '"x\\u007f"',
  `"${'x'.repeat(100)}"`,
  `"${'x'.repeat(101)}"`,
  `"${'x'.repeat(200)}"`,
  `"${'x'.repeat(201)}"`,
  `"https://x/${'y'.repeat(2039)}"`,
  `"https://x/${'y'.repeat(2038)}"`,
];
const OF_CHAINS: ReadonlySet<string> = new Set(['asset', 'quote_id', 'refund_address', 'transaction_hash']);
const AMOUNTS = [
  '1',
  '19',
  '20',
  '99.99',
  '100',
  '100.00',
  '100.5',
  '100.55',
  '100.555',
  '5000000',
  '5000001',
  '-5',
  '0',
];

describe('requestShapes', () => {
  it('has a shape of each kind and wallet, and none of an operation that is not offered', () => {
    for (const currency of ALL_CURRENCIES) {
      expect(requestShapes('bank_transfer', currency)).toHaveLength(currency.bankTransfer === null ? 0 : 1);
      const paid = currency.payouts.flatMap(({ currency: paidIn, destinations }) =>
        destinations.map(({ kind }) => [kind, paidIn]),
      );
      for (const operation of ['disburse', 'pay'] as const)
        expect(requestShapes(operation, currency).map(({ kind, paidIn }) => [kind, paidIn])).toEqual(paid);
      expect(requestShapes('validation', currency).map(({ kind }) => kind)).toEqual(
        currency.lookups.map(({ kind }) => kind),
      );
    }
  });

  it('names another transfer in each example of a pay', () => {
    const hashes = ALL_CURRENCIES.flatMap((currency) =>
      requestShapes('pay', currency).map(({ example }) => example['transaction_hash']),
    );
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it.each(CASES)('%s: the example is accepted by the rules and by its schema, and is of this shape', (_, shape) => {
    const read = valueOf(shape.judge(sent(shape))) as { destination: { kind: string }; amount?: Money };
    expect(read.destination.kind).toBe(shape.kind);
    if (shape.operation !== 'validation') expect(read.amount?.currency).toBe(shape.paidIn);
    expect(shape.schema['type']).toBe('object');
    expect(Object.keys(shape.example).sort()).toEqual([...shape.required].sort());
    for (const [field, value] of Object.entries(shape.example))
      expect([field, conforms(shape.properties[field] ?? {}, value)]).toEqual([field, true]);
  });

  it.each(CASES)('%s: each field that must be sent is named where it is not', (_, shape) => {
    for (const field of shape.required) {
      // An absent currency is another shape.
      if (field === 'currency') continue;
      for (const absent of [undefined, '', null]) {
        const judged = shape.judge(sent(shape, { [field]: absent }));
        expect(judged).toMatchObject({
          ok: false,
          error: { code: 'invalid_request', message: `${field} is required` },
        });
        if (absent !== undefined)
          expect([field, conforms(shape.properties[field] ?? {}, absent)]).toEqual([field, false]);
      }
    }
  });

  it.each(CASES)('%s: what may be left out may be said to be nothing', (_, shape) => {
    const optional = Object.keys(shape.properties).filter((field) => !shape.required.includes(field));
    const plain = shape.judge(sent(shape));
    for (const field of optional) {
      for (const absent of ['', null]) {
        expect(shape.judge(sent(shape, { [field]: absent }))).toEqual(plain);
        expect([field, conforms(shape.properties[field] ?? {}, absent)]).toEqual([field, true]);
      }
    }
  });

  it.each(CASES)('%s: what the schema lists is accepted', (_, shape) => {
    for (const [field, schema] of Object.entries(shape.properties)) {
      const parts = [schema, ...((schema['anyOf'] ?? []) as JsonSchema[])];
      for (const name of parts.flatMap((part) => [
        ...((part['enum'] ?? []) as unknown[]),
        ...((part['examples'] ?? []) as unknown[]),
      ])) {
        const judged = shape.judge(sent(shape, { [field]: name }));
        // The wallet changes the amount's limits and the shape; the chain changes the hash.
        const faults = judged.ok ? [] : (judged.error.faults ?? []).map(({ pointer }) => pointer);
        expect(
          faults.filter((pointer) => pointer !== '/amount' && !(field === 'chain' && pointer === '/transaction_hash')),
        ).toEqual([]);
      }
    }
  });

  it.each(CASES)('%s: the schema says of each field what the rules say', (_, shape) => {
    for (const [field, schema] of Object.entries(shape.properties)) {
      expect([field, known(schema)]).toEqual([field, true]);
      // Without it, the request has another shape.
      if (field === 'currency' && shape.required.includes(field)) continue;
      const money = field === 'amount' || field === 'fee';
      for (const json of money ? AMOUNTS : VALUES) {
        const judged = shape.judge(sent(shape, { [field]: parse(json), ...(field === 'fee' && { amount: '1000' }) }));
        const accepted = judged.ok || !(judged.error.faults ?? []).some(({ pointer }) => pointer === `/${field}`);
        const allowed = conforms(schema, JSON.parse(json));
        // These rules are not in the schema: bank codes, decimals, the fee against the amount, name spellings,
        // and forms of tokens, addresses, hashes and quotes.
        if (OF_CHAINS.has(field) || field === 'bank_code' || field === 'fee' || json === '100.555')
          expect([field, json, allowed || !accepted]).toEqual([field, json, true]);
        else expect([field, json, allowed]).toEqual([field, json, accepted]);
      }
    }
  });

  it('says in a shape which wallet it is of, where it is not the one that is meant', () => {
    const [francs, dollars] = requestShapes('disburse', CURRENCIES.CDF);
    expect(francs?.schema['required']).not.toContain('currency');
    expect(dollars?.schema).toMatchObject({
      required: expect.arrayContaining(['currency']),
      properties: { currency: { enum: ['USD'] } },
    });
    expect(dollars?.example).toMatchObject({ amount: 1, currency: 'USD' });
  });

  it.each([
    ['KES', 'mobile', 'MOBILE'],
    ['KES', 'till', 'BUY_GOODS'],
    ['MWK', 'bank', 'BANK_TRANSFER'],
  ] as const)('fixes the type of %s %s: another is another shape', (code, kind, type) => {
    const shape = requestShapes('disburse', CURRENCIES[code]).find((one) => one.kind === kind);
    expect(shape?.schema['properties']).toMatchObject({ type: { enum: [type] } });
    expect(shape?.example['type']).toBe(type);
  });
});
