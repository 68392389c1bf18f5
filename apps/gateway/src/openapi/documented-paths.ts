import { CURRENCIES, DEFAULT_CURRENCY, type Currency } from '@vuka/domain';

import { type Operation, OPERATIONS } from '../operations/index.js';
import type { JsonSchema } from './json-schema.js';
import { OPERATION_TEXTS, type Described, type OperationText } from './operation-texts.js';
import { exampleReference } from './request-bodies.js';

/** One operation at one path of the document. */
export interface DocumentedPath {
  readonly name: Described;
  readonly operation: Operation;
  /** As in the document: `/<code>/disburse`, `/{currency}/status`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** The one the body is of; null where the body is the same for all. */
  readonly currency: Currency | null;
  readonly parameters: readonly JsonSchema[];
}

/** Their bodies differ by currency, so each currency has a path of its own in the document, with the exact schema. */
const BY_CURRENCY: ReadonlySet<Described> = new Set<Described>([
  'bankTransfer',
  'disburse',
  'pay',
  'quote',
  'validation',
]);

/** Every operation of the table but the page, at every path; what only the sandbox has is left out in live. */
export function documentedPaths(currencies: readonly Currency[], sandbox: boolean): DocumentedPath[] {
  return (Object.keys(OPERATION_TEXTS) as Described[]).flatMap((name) => {
    const operation: Operation = OPERATIONS[name];
    if (operation.sandboxOnly === true && !sandbox) return [];
    return operation.paths.flatMap((route, place) => atRoute(name, operation, route, place, currencies));
  });
}

function atRoute(
  name: Described,
  operation: Operation,
  route: string,
  place: number,
  currencies: readonly Currency[],
): DocumentedPath[] {
  const text: OperationText = OPERATION_TEXTS[name];
  const id = text.ids[place] ?? '';
  const summary = typeof text.summary === 'string' ? text.summary : (text.summary[place] ?? '');
  if (!BY_CURRENCY.has(name)) {
    return [{ name, operation, id, summary, currency: null, ...withParameters(route) }];
  }
  if (!route.includes(':currency')) {
    const currency = currencies.find(({ code }) => code === DEFAULT_CURRENCY) ?? null;
    return [
      {
        name,
        operation,
        id,
        summary: `${inCurrency(summary, currency)}, the default`,
        currency,
        ...withParameters(route),
      },
    ];
  }
  const offered = currencies.filter((currency) => operation.offer === null || currency[operation.offer] !== null);
  return offered.map((currency) => {
    const code = currency.code.toLowerCase();
    const path = route.replace(':currency', code);
    return {
      name,
      operation,
      path,
      id: id + code.charAt(0).toUpperCase() + code.slice(1),
      summary: inCurrency(summary, currency),
      currency,
      parameters: [],
    };
  });
}

export function inCurrency(text: string, currency: Currency | null): string {
  return text.replaceAll('{currency}', currency?.code ?? '');
}

function withParameters(route: string): Pick<DocumentedPath, 'path' | 'parameters'> {
  const names = [...route.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const parameters = names.map((name) => parameterOf(name, route));
  const path = parameters.reduce<string>(
    (text, parameter, place) => text.replace(`:${names[place] ?? ''}`, `{${String(parameter['name'])}}`),
    route,
  );
  return { path, parameters };
}

function parameterOf(name: string, route: string): JsonSchema {
  const [first] = Object.values<Currency>(CURRENCIES);
  const codes = Object.values<Currency>(CURRENCIES);
  switch (name) {
    case 'currency':
      return route.startsWith('/account/')
        ? pathParameter(
            'country',
            { enum: codes.map(({ country }) => country.toLowerCase()) },
            first?.country.toLowerCase(),
            'ISO country, or its currency, in any case',
          )
        : pathParameter(
            'currency',
            { enum: codes.map(({ code }) => code.toLowerCase()) },
            first?.code.toLowerCase(),
            'ISO currency, or its country, in any case',
          );
    case 'code':
      return pathParameter(
        'transaction_code',
        {},
        exampleReference('disburse', DEFAULT_CURRENCY),
        'Of one of your payouts',
      );
    case 'id':
      return pathParameter(
        'id',
        { type: 'integer', minimum: 1 },
        undefined,
        route.startsWith('/v1/webhooks/') ? 'A delivery’s `id` in the log' : 'A wallet’s `id` in the account',
      );
    default:
      throw new Error(`${route} has a parameter that nobody described: ${name}`);
  }
}

function pathParameter(name: string, schema: JsonSchema, example: unknown, description: string): JsonSchema {
  return {
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', ...schema },
    ...(example !== undefined && { example }),
  };
}
