import type { Currency } from '@vuka/domain';

import { type JsonSchema, type OperationDocument, refTo } from '../operations/index.js';

export function answerSchema({ answer, bare, message }: OperationDocument, currency: Currency | null): JsonSchema {
  if (bare !== undefined) return bare;
  if (answer === undefined) return envelope(message, {}, false);
  if (typeof answer === 'function') return envelope(message, answer(currency), false);
  if (typeof answer === 'string') return envelope(message, refTo('schemas', answer), false);
  return envelope(message, { type: 'array', items: refTo('schemas', answer[0]) }, true);
}

/** decisions.md section 1; only lists have `next_cursor`. */
function envelope(message: string, data: JsonSchema, list: boolean): JsonSchema {
  return {
    type: 'object',
    properties: {
      code: { type: 'integer', const: 200 },
      message: { type: 'string', examples: [message] },
      data,
      ...(list && {
        next_cursor: {
          type: ['string', 'null'],
          description: 'Send it as `cursor` for the next page; null on the last one',
          examples: [null],
        },
      }),
    },
    required: ['code', 'message', 'data', ...(list ? ['next_cursor'] : [])],
    additionalProperties: false,
  };
}
