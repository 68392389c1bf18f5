import {
  acceptedTokens,
  chainNamed,
  DEFAULT_CHAIN,
  DEFAULT_CURRENCY,
  exampleTransfer,
  objectSchema,
  quoteFields,
  REFERENCE_PATTERN,
  REFUND_FIELDS,
  requestShapes,
  withFixed,
  type Currency,
  type DestinationKind,
  type RequestShape,
} from '@vuka/domain';

import type { JsonSchema } from './json-schema.js';

type Fields = Readonly<Record<string, unknown>>;

export interface RequestBody {
  readonly schema: JsonSchema;
  /** They work in the sandbox; a read uses the payout of an example. */
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: Fields }>>;
}

type ShapedOperation = Parameters<typeof requestShapes>[0];

const KIND_TITLES: Readonly<Record<DestinationKind, string>> = {
  mobile: 'phone',
  paybill: 'paybill',
  till: 'till',
  bank: 'bank account',
};

const [{ symbol: EXAMPLE_ASSET = '' } = {}] = acceptedTokens(chainNamed(DEFAULT_CHAIN) ?? { tokens: [] });

/** EIP-55. */
const EXAMPLE_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

const absent = { enum: ['', null], description: 'Means that it is not sent' };

const code: JsonSchema = { type: 'string', pattern: REFERENCE_PATTERN.source };

export function exampleReference(operation: ShapedOperation, currency: string): string {
  return `docs-${operation.replace('_', '-')}-${currency.toLowerCase()}`;
}

function titled(
  operation: ShapedOperation,
  currency: Currency,
): readonly (RequestShape & { readonly name: string; readonly title: string })[] {
  const shapes = requestShapes(operation, currency);
  const wallets = new Set(shapes.map(({ paidIn }) => paidIn));
  return shapes.map((shape) => {
    const schema = withExamples(shape);
    const inWallet = wallets.size > 1 ? [`in ${shape.paidIn}`] : [];
    return {
      ...shape,
      schema,
      name: [shape.kind, ...(wallets.size > 1 ? [shape.paidIn.toLowerCase()] : [])].join('_'),
      title: [`To a ${KIND_TITLES[shape.kind]}`, ...inWallet].join(', '),
    };
  });
}

/** Field values fit together, for readers and for generators that change one field. */
function withExamples({ schema, example }: RequestShape): JsonSchema {
  const properties = Object.entries(schema['properties'] as Readonly<Record<string, JsonSchema>>);
  return {
    ...schema,
    properties: Object.fromEntries(
      properties.map(([field, rule]) => [field, field in example ? { ...rule, examples: [example[field]] } : rule]),
    ),
  };
}

/** One schema and example per kind of destination. */
export function shapedBody(operation: ShapedOperation, currency: Currency): RequestBody {
  const shapes = titled(operation, currency);
  const schemas = shapes.map(({ title, schema }): JsonSchema => ({
    title: operation === 'validation' ? title.replace(/^To a /, 'Of a ') : title,
    ...schema,
  }));
  const examples = shapes.map(
    ({ name, title, example }) =>
      [
        name,
        { summary: operation === 'validation' ? title.replace(/^To a /, 'Of a ') : title, value: example },
      ] as const,
  );
  const [first] = shapes;
  const named =
    operation === 'validation' || first === undefined
      ? []
      : [['with_reference', withReference(operation, currency, first)] as const];
  return { schema: eitherOf(schemas), examples: Object.fromEntries([...examples, ...named]) };
}

function withReference(
  operation: ShapedOperation,
  currency: Currency,
  { example, title }: { example: Fields; title: string },
) {
  const reference = exampleReference(operation, currency.code);
  const value = { ...example, reference, ...(operation === 'pay' && { transaction_hash: exampleTransfer(reference) }) };
  return {
    summary: `${title}, under a reference of yours (sent again, it is the same payout; change the reference when you change anything)`,
    value,
  };
}

export function quoteBody(currency: Currency): RequestBody {
  const [first] = currency.payouts;
  const shapes = currency.payouts.map((payouts) => {
    const title = `In ${payouts.currency}`;
    const value = { amount: exampleAmount(currency, payouts.currency), asset: EXAMPLE_ASSET };
    const schema = objectSchema(quoteFields(currency, payouts));
    if (payouts === first) return { title, schema, value };
    return {
      title,
      schema: withFixed(schema, 'currency', payouts.currency, 'What the amount is in.'),
      value: { ...value, currency: payouts.currency },
    };
  });
  const schemas = shapes.map(({ title, schema }): JsonSchema => ({ title, ...schema }));
  const examples = shapes.map(
    ({ title, value }) => [title.toLowerCase().replace(' ', '_'), { summary: title, value }] as const,
  );
  return { schema: eitherOf(schemas), examples: Object.fromEntries(examples) };
}

/** The example transfer does not exist, so it gives a 404. */
export function refundBody(): RequestBody {
  const transfer = { chain: DEFAULT_CHAIN, transaction_hash: exampleTransfer('refund') };
  return {
    schema: objectSchema(REFUND_FIELDS),
    examples: {
      registered: {
        summary: 'To the return address that is registered for you (of a transfer of yours: this one was never made)',
        value: transfer,
      },
      named: { summary: 'To an address that you name', value: { ...transfer, refund_address: EXAMPLE_ADDRESS } },
    },
  };
}

function eitherOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { anyOf: schemas };
}

function exampleAmount(currency: Currency, paidIn: string): unknown {
  return requestShapes('pay', currency).find((shape) => shape.paidIn === paidIn)?.example['amount'];
}

/** At least one field must be sent. */
export function transactionBody(fields: readonly string[], currency: string = DEFAULT_CURRENCY): RequestBody {
  const value = exampleReference('disburse', currency);
  const known: Readonly<Record<string, JsonSchema>> = {
    transaction_code: { ...code, description: 'As the payout was answered' },
    reference: { ...code, description: 'As the payout was sent' },
    transaction_hash: { type: 'string', minLength: 1, maxLength: 200, description: 'Of a transfer on a chain' },
  };
  const one = fields.filter((field) => field !== 'transaction_hash');
  const examples = one.map((field) => [
    field,
    {
      summary: `By ${field}: send the example “with_reference” of the payouts in ${currency} first`,
      value: { [field]: value },
    },
  ]);
  return {
    schema:
      fields.length === 1
        ? byField(known, fields, 0)
        : { anyOf: fields.map((field, place) => ({ title: `By ${field}`, ...byField(known, fields, place) })) },
    examples: Object.fromEntries(examples) as RequestBody['examples'],
  };
}

/** The first field sent counts: earlier ones are absent, later ones ignored. */
function byField(known: Readonly<Record<string, JsonSchema>>, fields: readonly string[], place: number): JsonSchema {
  const field = fields[place] ?? '';
  return object(
    { ...Object.fromEntries(fields.slice(0, place).map((earlier) => [earlier, absent])), [field]: known[field] },
    [field],
  );
}

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required };
}
