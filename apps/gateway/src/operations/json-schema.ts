import { z } from 'zod';

/** A schema of JSON Schema draft 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema that a zod one answers by: closed objects, as what is written down in it is all that is answered. */
export function answeredAs(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'output' });
  return rest;
}

export function refTo(section: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): JsonSchema {
  return { $ref: `#/components/${section}/${name}` };
}
