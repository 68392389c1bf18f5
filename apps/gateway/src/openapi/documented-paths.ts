import { CURRENCIES, DEFAULT_CURRENCY, type Currency } from '@vuka/domain';

import type { JsonSchema, Operation, OperationDocument, Operations, PathParameter } from '../operations/index.js';

export interface DocumentedPath {
  readonly operation: Operation;
  readonly text: OperationDocument;
  /** `/<code>/disburse`, `/{currency}/status`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** null: the body is the same for all. */
  readonly currency: Currency | null;
  readonly parameters: readonly JsonSchema[];
}

/** Sandbox-only operations are left out in live. */
export function documentedPaths(
  operations: Operations,
  currencies: readonly Currency[],
  sandbox: boolean,
): DocumentedPath[] {
  return Object.values(operations).flatMap((operation) => {
    const { document: text } = operation;
    if (text === null || (operation.sandboxOnly === true && !sandbox)) return [];
    return operation.paths.flatMap((route, place) => atRoute({ operation, text }, route, place, currencies));
  });
}

function atRoute(
  row: Pick<DocumentedPath, 'operation' | 'text'>,
  route: string,
  place: number,
  currencies: readonly Currency[],
): DocumentedPath[] {
  const { operation, text } = row;
  const id = text.ids[place] ?? '';
  const summary = typeof text.summary === 'string' ? text.summary : (text.summary[place] ?? '');
  if (text.byCurrency !== true) return [{ ...row, id, summary, currency: null, ...withParameters(route, text) }];
  if (!route.includes(':currency')) {
    const currency = currencies.find(({ code }) => code === DEFAULT_CURRENCY) ?? null;
    const named = `${inCurrency(summary, currency)}, the default`;
    return [{ ...row, id, summary: named, currency, ...withParameters(route, text) }];
  }
  const offered = currencies.filter((currency) => operation.offer === null || currency[operation.offer] !== null);
  return offered.map((currency) => {
    const code = currency.code.toLowerCase();
    const path = route.replace(':currency', code);
    return {
      ...row,
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

function withParameters(route: string, text: OperationDocument): Pick<DocumentedPath, 'path' | 'parameters'> {
  const names = [...route.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const parameters = names.map((name) => {
    const parameter = name === 'currency' ? currencyIn(route) : text.parameters?.[name];
    if (parameter === undefined) throw new Error(`${route} has a parameter that nobody described: ${name}`);
    return pathParameter(parameter);
  });
  const path = parameters.reduce<string>(
    (before, parameter, place) => before.replace(`:${names[place] ?? ''}`, `{${String(parameter['name'])}}`),
    route,
  );
  return { path, parameters };
}

function currencyIn(route: string): PathParameter {
  const all = Object.values<Currency>(CURRENCIES);
  const [name, spelling, description] = route.startsWith('/account/')
    ? (['country', 'country', 'ISO country, or its currency, in any case'] as const)
    : (['currency', 'code', 'ISO currency, or its country, in any case'] as const);
  const spelled = all.map((currency) => currency[spelling].toLowerCase());
  return { name, description, schema: { enum: spelled }, example: spelled[0] };
}

function pathParameter({ name, description, schema, example }: PathParameter): JsonSchema {
  return {
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', ...schema },
    ...(example !== undefined && { example }),
  };
}
