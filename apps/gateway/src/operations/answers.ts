import { sandboxPayoutControlled } from '@vuka/contracts';
import { z } from 'zod';

import { ACCOUNT_ANSWERS, REFERENCE_ANSWERS } from './account-answers.js';
import { answeredAs, type JsonSchema } from './json-schema.js';
import { ORDER_ANSWERS, TRANSACTION_ANSWERS } from './payment-answers.js';

const HEALTH_ANSWERS = {
  Live: z.object({ status: z.literal('live') }),
  Ready: z.object({
    status: z.literal('ready'),
    checks: z
      .record(z.string(), z.union([z.literal(true), z.string()]))
      .describe('By service: true, or why what needs it is answered 503 for now'),
  }),
} as const;

/** What `data` may be, by the name of its schema, in the order of the published document. */
const ANSWERS = {
  ...TRANSACTION_ANSWERS,
  ...ACCOUNT_ANSWERS,
  ...ORDER_ANSWERS,
  ...REFERENCE_ANSWERS,
  ControlledPayout: sandboxPayoutControlled,
  ...HEALTH_ANSWERS,
} as const;

export type AnswerName = keyof typeof ANSWERS;

export function answerSchemas(): Record<AnswerName, JsonSchema> {
  return Object.fromEntries(Object.entries(ANSWERS).map(([name, schema]) => [name, answeredAs(schema)])) as Record<
    AnswerName,
    JsonSchema
  >;
}
