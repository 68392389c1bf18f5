import { objectSchema, type RuleSet } from '@vuka/domain';

import type { RequestBody } from './request-bodies.js';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;

export function listBody(fields: RuleSet, value: Readonly<Record<string, string>>): RequestBody {
  return { schema: objectSchema(fields), examples: { days: { summary: 'All of some days', value } } };
}

export function logBody(fields: RuleSet, days: Readonly<Record<string, string>>): RequestBody {
  const examples = {
    failed: { summary: 'Those that were given up', value: { state: 'failed' } },
    days: { summary: 'Those of some days', value: { state: 'failed', ...days } },
  };
  return { schema: objectSchema(fields), examples };
}

export function lastDays(today: Date): Record<string, string> {
  const day = (at: Date): string => at.toISOString().slice(0, 10);
  return { start_date: day(new Date(today.getTime() - DAYS_SHOWN * DAY_MS)), end_date: day(today) };
}
