import type { Currency, ErrorCode } from '@vuka/domain';
import type { z } from 'zod';

import type { JsonSchema } from './json-schema.js';
import type { RequestBody } from './request-bodies.js';
import type { Tag } from './tags.js';

/** What the published document says of an operation. */
export interface OperationDocument {
  readonly tag: Tag;
  /** One per path of the operation, in its order. With `{currency}` in `summary`, each currency has its own. */
  readonly ids: readonly string[];
  /** One for all paths, or one per path. */
  readonly summary: string | readonly string[];
  readonly description: string;
  /** `message` of the answer. */
  readonly message: string;
  /** `data` of the answer: one thing by the name of its schema, a list of them, or what it is in a currency. */
  readonly answer?: string | readonly [string] | ((currency: Currency | null) => JsonSchema);
  /** The whole answer, where that is no envelope. */
  readonly bare?: JsonSchema;
  /** Its body differs by currency, so that each currency has a path of its own in the document, with the exact schema. */
  readonly byCurrency?: true;
  /** The body, null where the currency has none. `currency` where it hangs on one. */
  readonly body?: (at: { readonly currency: Currency | null; readonly today: Date }) => RequestBody | null;
  /** What it reads from its query. `all`: by the terms in force. */
  readonly query?: (all: readonly Currency[]) => readonly JsonSchema[];
  /** Of the path, by their names there; the currency is known without. */
  readonly parameters?: Readonly<Record<string, PathParameter>>;
  /** What may be asked next with what was answered. */
  readonly links?: (currency: Currency | null) => JsonSchema | null;
  /** Why it may refuse or fail, beside what any operation with a key may. */
  readonly errors?: readonly ErrorCode[];
}

/** What `data` may be, by the name of its schema in the document. */
export type AnswerSchemas = Readonly<Record<string, z.ZodType>>;

export interface PathParameter {
  /** In the document. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A number of ours. */
export function idParameter(description: string): PathParameter {
  return { name: 'id', description, schema: { type: 'integer', minimum: 1 } };
}

/** Of what goes to a phone, till, paybill or bank account. */
export const OF_DESTINATIONS = [
  'unsupported_currency',
  'unsupported_network',
  'unknown_bank',
] as const satisfies readonly ErrorCode[];
