import type { Currency, ErrorCode } from '@vuka/domain';
import type { z } from 'zod';

import type { JsonSchema } from './json-schema.js';
import type { RequestBody } from './request-bodies.js';
import type { Tag } from './tags.js';

export interface OperationDocument {
  readonly tag: Tag;
  /** One per path, in order; per currency too if `summary` has `{currency}`. */
  readonly ids: readonly string[];
  readonly summary: string | readonly string[];
  readonly description: string;
  readonly message: string;
  /** Schema name of `data`, a list of it, or a function of the currency. */
  readonly answer?: string | readonly [string] | ((currency: Currency | null) => JsonSchema);
  readonly bare?: JsonSchema;
  /** The body depends on the currency, so each currency gets its own path. */
  readonly byCurrency?: true;
  /** null: the currency has none. */
  readonly body?: (at: { readonly currency: Currency | null; readonly today: Date }) => RequestBody | null;
  readonly query?: (all: readonly Currency[]) => readonly JsonSchema[];
  readonly parameters?: Readonly<Record<string, PathParameter>>;
  readonly links?: (currency: Currency | null) => JsonSchema | null;
  /** Besides those of every operation with a key. */
  readonly errors?: readonly ErrorCode[];
}

/** By schema name. */
export type AnswerSchemas = Readonly<Record<string, z.ZodType>>;

export interface PathParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export function idParameter(description: string): PathParameter {
  return { name: 'id', description, schema: { type: 'integer', minimum: 1 } };
}

export const OF_DESTINATIONS = [
  'unsupported_currency',
  'unsupported_network',
  'unknown_bank',
] as const satisfies readonly ErrorCode[];
