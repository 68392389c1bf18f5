import {
  described,
  fail,
  fault,
  faultsOf,
  isRawNumber,
  lineUpTo,
  MAX_DECIMAL_LENGTH,
  ok,
  optional,
  readFields,
  required,
  shapeOf,
  textAs,
  type CodedFault,
  type Read,
  type Result,
  type RuleSet,
  type ValuesOf,
} from '@vuka/domain';

import type { JsonBody } from '../http/index.js';

/** Both dates included (decisions.md section 2, list). */
const MAX_DAYS = 400;
const MAX_ROWS = 1000;
/** Rows of a log are long. */
const MAX_LOG_ROWS = 100;
const LOG_ROWS = 50;
const MAX_CURSOR = 200;
const DAY_MS = 86_400_000;

const DATE = /^(?!0000|9999)\d{4}-\d{2}-\d{2}$/;

/** UTC; null: no such day. */
function dayOf(text: string): Date | null {
  const day = new Date(DATE.test(text) ? `${text}T00:00:00.000Z` : Number.NaN);
  // Date would read February 30 as a day in March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : null;
}

const day = (what: string) =>
  described(textAs(dayOf, 'be a date such as 2026-01-31', { format: 'date' }), `${what}, in UTC, included.`);

/** At most 400 days. */
const DAY_FIELDS = { start_date: required(day('The first day')), end_date: required(day('The last day')) };

/** Days are optional in a log. */
const OPEN_DAY_FIELDS = { start_date: optional(day('The first day')), end_date: optional(day('The last day')) };

/** 1 to `most`, digits only. */
function rows(most: number, byDefault: number, pattern: RegExp) {
  const readRows = (value: unknown, field: string): Result<number, CodedFault> => {
    if (typeof value !== 'string' && !isRawNumber(value))
      return fault('invalid_request', field, `${field} must be a whole number, not ${shapeOf(value)}`);
    // Raw text: 1.0 and 1e1 are no counts.
    const text = value.toString();
    if (text.length <= MAX_DECIMAL_LENGTH && pattern.test(text)) return ok(parseInt(text, 10));
    return fault('invalid_request', field, `${field} must be a whole number from 1 to ${String(most)}`);
  };
  const schema = {
    description: `Rows of a page, digits alone; ${String(byDefault)} where it is not sent.`,
    anyOf: [
      { type: 'integer', minimum: 1, maximum: most },
      { type: 'string', pattern: pattern.source, maxLength: MAX_DECIMAL_LENGTH },
    ],
  };
  return optional({ read: readRows, schema });
}

const CURSOR_FIELD = optional(
  described(lineUpTo(MAX_CURSOR), '`next_cursor` of the page before, with all else the same.'),
);

const PAGE_FIELDS = { limit: rows(MAX_ROWS, MAX_ROWS, /^0*([1-9][0-9]{0,2}|1000)$/), cursor: CURSOR_FIELD };

const LOG_PAGE_FIELDS = { limit: rows(MAX_LOG_ROWS, LOG_ROWS, /^0*([1-9][0-9]?|100)$/), cursor: CURSOR_FIELD };

const GO_ON_FIELDS = {
  cursor: optional(described(lineUpTo(MAX_CURSOR), '`cursor` of the answer before, with all else the same.')),
};

export interface PageOfTime {
  readonly from: string;
  readonly before: string;
  readonly limit: number;
  readonly cursor: string | null;
}

export function pageFields<R extends RuleSet>(own: R): R & typeof DAY_FIELDS & typeof PAGE_FIELDS {
  return { ...own, ...DAY_FIELDS, ...PAGE_FIELDS };
}

/** Gives all faults of the body. Errors: invalid_request, and those of its own fields. */
export function readPage<R extends RuleSet>(
  body: JsonBody,
  own: R,
): Read<{ readonly own: ValuesOf<R>; readonly page: PageOfTime }> {
  const values = readFields(body, own);
  const days = readDays(body);
  const page = readFields(body, PAGE_FIELDS);
  if (!values.ok || !days.ok || !page.ok) return fail(faultsOf(values, days, page));
  const { limit = MAX_ROWS, cursor = null } = page.value;
  return ok({ own: values.value, page: { ...days.value, limit, cursor } });
}

/** null: open on that side. */
export interface OpenTimes {
  readonly from: string | null;
  readonly before: string | null;
  readonly cursor: string | null;
}

export function logFields<R extends RuleSet>(own: R): R & typeof OPEN_DAY_FIELDS & typeof LOG_PAGE_FIELDS {
  return { ...own, ...OPEN_DAY_FIELDS, ...LOG_PAGE_FIELDS };
}

/** Errors: invalid_request, with all faults. */
export function readLogPage<R extends RuleSet>(
  body: JsonBody,
  own: R,
): Read<{ readonly own: ValuesOf<R>; readonly page: OpenTimes & { readonly limit: number } }> {
  const values = readFields(body, own);
  const days = readOpenDays(body);
  const page = readFields(body, LOG_PAGE_FIELDS);
  if (!values.ok || !days.ok || !page.ok) return fail(faultsOf(values, days, page));
  const { limit = LOG_ROWS, cursor = null } = page.value;
  return ok({ own: values.value, page: { ...days.value, limit, cursor } });
}

export function timesFields<R extends RuleSet>(own: R): R & typeof OPEN_DAY_FIELDS & typeof GO_ON_FIELDS {
  return { ...own, ...OPEN_DAY_FIELDS, ...GO_ON_FIELDS };
}

/** Errors: invalid_request, with all faults. */
export function readTimes<R extends RuleSet>(
  body: JsonBody,
  own: R,
): Read<{ readonly own: ValuesOf<R>; readonly times: OpenTimes }> {
  const values = readFields(body, own);
  const days = readOpenDays(body);
  const goOn = readFields(body, GO_ON_FIELDS);
  if (!values.ok || !days.ok || !goOn.ok) return fail(faultsOf(values, days, goOn));
  return ok({ own: values.value, times: { ...days.value, cursor: goOn.value.cursor ?? null } });
}

function readDays(body: JsonBody): Read<Pick<PageOfTime, 'from' | 'before'>> {
  const days = readFields(body, DAY_FIELDS);
  if (!days.ok) return days;
  const { start_date: start, end_date: end } = days.value;
  return readSpan(start, end);
}

function readOpenDays(body: JsonBody): Read<Pick<OpenTimes, 'from' | 'before'>> {
  const days = readFields(body, OPEN_DAY_FIELDS);
  if (!days.ok) return days;
  const { start_date: start, end_date: end } = days.value;
  if (start !== undefined && end !== undefined) return readSpan(start, end);
  return ok({ from: start?.toISOString() ?? null, before: end === undefined ? null : dayAfter(end) });
}

const dayAfter = (day: Date): string => new Date(day.getTime() + DAY_MS).toISOString();

function readSpan(start: Date, end: Date): Read<Pick<PageOfTime, 'from' | 'before'>> {
  const wrong = (detail: string): Read<never> => fail([fault('invalid_request', 'end_date', detail).error]);
  if (end < start) return wrong('end_date must not be before start_date');
  if (end.getTime() - start.getTime() > MAX_DAYS * DAY_MS)
    return wrong(`end_date must be at most ${String(MAX_DAYS)} days after start_date`);
  return ok({ from: start.toISOString(), before: dayAfter(end) });
}
