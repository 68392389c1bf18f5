import {
  CONTROL_ACTIONS,
  type Answer,
  type ApiClient,
  type ControlAction,
  type DisburseBody,
  type PayBody,
  type TransferBody,
} from '@vuka/testing';

type Json = Readonly<Record<string, unknown>>;
export type KeyKind = 'consumer' | 'checkout';
export type FieldPlace = 'path' | 'query' | 'body' | 'header';

export interface Field {
  readonly in: FieldPlace;
  readonly name: string;
}

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Kinds of key that open it; none: open to all. */
  readonly kinds: readonly KeyKind[];
  readonly scopes: readonly string[];
  readonly fields: readonly Field[];
  readonly shown: Readonly<Partial<Record<FieldPlace, Json>>>;
}

export type Values = Readonly<Record<string, string | number | null>>;

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: FieldPlace;
  readonly example?: unknown;
}

interface Body {
  readonly schema: Json;
  readonly examples?: Readonly<Record<string, { readonly value: Json }>>;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly security: readonly Json[];
            readonly parameters: readonly Parameter[];
            readonly requestBody?: { readonly content: { readonly 'application/json': Body } };
          }
        >
      >
    >
  >;
}

const KIND_OF: Readonly<Record<string, KeyKind>> = { key: 'consumer', checkout_key: 'checkout' };

export async function documentedOperations(client: ApiClient): Promise<readonly Operation[]> {
  const answer = await client.send({ method: 'GET', path: '/openapi.json', headers: { 'x-api-key': '' } });
  const document = JSON.parse(answer.text) as OpenApi;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters, requestBody }]): Operation => {
      const known = parameters.map((parameter) => resolved(document, parameter));
      const body = requestBody?.content['application/json'];
      const example = Object.entries(body?.examples ?? {}).find(([name]) => name !== 'set')?.[1].value;
      const shown: Record<string, Json> = { body: example ?? {} };
      for (const place of ['path', 'query'] as const)
        shown[place] = Object.fromEntries(
          known.filter((one) => one.in === place).map((one) => [one.name ?? '', one.example]),
        );
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        shown,
        kinds: security.flatMap((scheme) => Object.keys(scheme).map((name) => KIND_OF[name] as KeyKind)),
        scopes: security.flatMap((scheme) => Object.values(scheme).map((scopes) => String(scopes))),
        fields: [
          ...known.map((one): Field => ({ in: one.in ?? 'query', name: one.name ?? '' })),
          ...propertiesOf(document, body?.schema).map((name): Field => ({ in: 'body', name })),
        ],
      };
    }),
  );
}

function resolved<T extends { readonly $ref?: string }>(document: OpenApi, one: T): T {
  if (one.$ref === undefined) return one;
  let found: unknown = document;
  for (const part of one.$ref.replace(/^#\//, '').split('/')) found = (found as Json)[part];
  return found as T;
}

function propertiesOf(document: OpenApi, schema: Json | undefined): readonly string[] {
  if (schema === undefined) return [];
  const { properties = {}, ...rest } = resolved(document, schema as Json & { $ref?: string }) as {
    properties?: Json;
  } & Json;
  const forms = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => (rest[name] ?? []) as readonly Json[]);
  return [...new Set([...Object.keys(properties), ...forms.flatMap((form) => propertiesOf(document, form))])];
}

const PAYOUT = /^\/(?:(\w+)\/(bank-transfer|disburse)|v1\/(pay)(?:\/(\w+))?)$/;
export const isPayout = ({ path }: Operation): boolean => PAYOUT.test(path);

/** As documented, except `values`; with the partner's own key or `key`. */
export function sendOperation(
  client: ApiClient,
  operation: Operation,
  values: Values = {},
  key?: string,
): Promise<Answer> {
  const placed = (place: FieldPlace): Json => {
    const named = operation.fields
      .filter((field) => field.in === place && field.name in values)
      .map(({ name }): [string, unknown] => [name, values[name]]);
    return { ...operation.shown[place], ...Object.fromEntries(named) };
  };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(placed('path')[name])),
  );
  const query = new URLSearchParams(
    Object.entries(placed('query')).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const [kind] = operation.kinds;
  const own = kind === undefined ? '' : kind === 'checkout' ? client.partner.checkout_key : client.partner.consumer_key;
  const headers = { ...(placed('header') as Record<string, string>), 'x-api-key': key ?? own };
  const body = placed('body');
  if (key === undefined && isPayout(operation)) return payOut(client, operation, body, headers);
  const control = operation.path.startsWith('/sandbox/payouts/')
    ? Object.entries(CONTROL_ACTIONS).find(([, segment]) => path.endsWith(`/${segment}`))
    : undefined;
  if (key === undefined && control !== undefined)
    return client.control(String(placed('path')['transaction_code']), control[0] as ControlAction);
  if (key === undefined && operation.path === '/v1/checkout/')
    return client.orders.ask(placed('query') as unknown as Parameters<ApiClient['orders']['ask']>[0]);
  return client.send({
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    headers,
    ...(operation.method === 'POST' && { body }),
  });
}

function payOut(
  client: ApiClient,
  { path }: Operation,
  body: Json,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const [, market = '', last = 'pay', , country = ''] = PAYOUT.exec(path) ?? [];
  if (last === 'disburse') return client.disburse(market, body as unknown as DisburseBody, headers);
  if (last === 'bank-transfer') return client.bankTransfer(market, body as unknown as TransferBody, headers);
  return client.pay(country || 'KES', body as unknown as PayBody, headers, country);
}
