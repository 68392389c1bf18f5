import { z } from 'zod';

/** JSON Schema draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Closed objects: nothing else is answered. */
export function answeredAs(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'output' });
  return rest;
}

export function refTo(section: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): JsonSchema {
  return { $ref: `#/components/${section}/${name}` };
}
