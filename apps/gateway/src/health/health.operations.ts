import { z } from 'zod';

import { type AnswerSchemas, type Operations } from '../operations/index.js';

export const HEALTH_ANSWERS = {
  Live: z.object({ status: z.literal('live') }),
  Ready: z.object({
    status: z.literal('ready'),
    checks: z
      .record(z.string(), z.union([z.literal(true), z.string()]))
      .describe('By service: true, or why what needs it is answered 503 for now'),
  }),
} as const satisfies AnswerSchemas;

export const HEALTH_OPERATIONS = {
  live: {
    method: 'GET',
    paths: ['/health/live'],
    key: null,
    money: false,
    offer: null,
    document: {
      tag: 'Health',
      ids: ['getLive'],
      summary: 'The process lives',
      description: 'Answers as long as the process does.',
      message: 'The process is alive',
      answer: 'Live',
    },
  },
  ready: {
    method: 'GET',
    paths: ['/health/ready'],
    key: null,
    money: false,
    offer: null,
    document: {
      tag: 'Health',
      ids: ['getReady'],
      summary: 'Requests may come',
      description:
        '503 names what is missing. `checks` tells the state of each service: one that is away takes only its own operations along.',
      message: 'Every service is ready',
      answer: 'Ready',
      errors: ['service_unavailable'],
    },
  },
} as const satisfies Operations;
