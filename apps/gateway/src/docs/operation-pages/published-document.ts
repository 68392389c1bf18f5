import type { JsonSchema } from '../../operations/index.js';

/** What the pages read of the published document (`/openapi.json`). */
export interface PublishedDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Body } };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

interface Body {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string | number;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly schema?: Schema }>>;
  readonly content?: { readonly 'application/json': { readonly schema: Schema } };
}

export interface Reference {
  readonly $ref: string;
}

export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** One operation at one path. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

export const asPublished = (document: JsonSchema): PublishedDocument => document as unknown as PublishedDocument;

/** The operations of a group, in the order of the document. */
export function operationsOf({ paths }: PublishedDocument, tag: string): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  );
}

/** The last part of a `$ref`: the name of what it stands for. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
