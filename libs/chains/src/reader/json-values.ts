/** Never contains what was sent. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError';

  constructor(readonly where: string) {
    super(`malformed: ${where}`);
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function objectAt(value: unknown, where: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedAnswerError(where);
  return value as JsonObject;
}
