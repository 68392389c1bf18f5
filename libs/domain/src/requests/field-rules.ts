import type { NamedChoice, NumberRule } from '../currency/currency.js';
import type { ErrorCode } from '../result/errors.js';
import { compareDecimal, formatDecimal, MAX_DECIMAL_LENGTH, parseDecimal } from '../money/decimal.js';
import { fieldOf, isRawNumber, shapeOf } from './request-fields.js';
import { fail, ok, type Fault, type Problem, type Result } from '../result/result.js';

/** Parsed with raw numbers. */
export type RequestFields = Readonly<Record<string, unknown>>;

export type CodedFault = Fault & { readonly code: ErrorCode };

/** Draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The rule also gives its schema, so the published interface cannot differ. */
export interface FieldRule<T> {
  /** `undefined` if it was not sent. */
  read(value: unknown, field: string): Result<T, CodedFault>;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

export type RuleSet = Readonly<Record<string, FieldRule<unknown>>>;
export type ValuesOf<R extends RuleSet> = { readonly [K in keyof R]: R[K] extends FieldRule<infer T> ? T : never };
export type Read<T> = Result<T, readonly CodedFault[]>;

/** All faults, in the order of the rules. Ignores unknown fields. */
export function readFields<R extends RuleSet>(body: RequestFields, rules: R): Read<ValuesOf<R>> {
  const faults: CodedFault[] = [];
  const values: Record<string, unknown> = {};
  for (const [field, rule] of Object.entries(rules)) {
    const read = rule.read(fieldOf(body, field), field);
    if (read.ok) values[field] = read.value;
    else faults.push(read.error);
  }
  return faults.length === 0 ? ok(values as ValuesOf<R>) : fail(faults);
}

export function faultsOf(...reads: readonly Read<unknown>[]): readonly CodedFault[] {
  return reads.flatMap((read) => (read.ok ? [] : read.error));
}

/** Allows unknown fields (decisions.md section 1). */
export function objectSchema(rules: RuleSet): JsonSchema {
  return {
    type: 'object',
    required: Object.keys(rules).filter((field) => rules[field]?.required),
    properties: Object.fromEntries(Object.entries(rules).map(([field, { schema }]) => [field, schema])),
  };
}

/** Code and message are the first fault's. */
export function refusal(all: readonly CodedFault[]): Result<never, Problem> {
  // Two rules may read the same field.
  const faults = all.filter(
    (one, index) => all.findIndex(({ pointer, detail }) => pointer === one.pointer && detail === one.detail) === index,
  );
  const [first] = faults;
  if (first === undefined) throw new Error('a refusal without a fault');
  return fail<Problem>({
    code: first.code,
    message: first.detail,
    faults: faults.map(({ detail, pointer }) => ({ detail, pointer })),
  });
}

export function fault(
  code: ErrorCode,
  field: string,
  detail: string,
): { readonly ok: false; readonly error: CodedFault } {
  return fail({ code, detail, pointer: `/${field}` });
}

/** For an optional field, the value may be `undefined`. */
export type ValueRule<T> = Omit<FieldRule<T>, 'required'>;

export function required<T>(rule: ValueRule<T>): FieldRule<T> {
  return {
    read: (value, field) =>
      value === undefined ? fault('invalid_request', field, `${field} is required`) : rule.read(value, field),
    schema: rule.schema,
    required: true,
  };
}

/** `""` and `null` mean absent (decisions.md section 1). */
export function optional<T>(rule: ValueRule<T>): FieldRule<T | undefined> {
  const { description, anyOf, ...schema } = rule.schema as { description?: unknown; anyOf?: readonly JsonSchema[] };
  return {
    read: (value, field) => (value === undefined ? ok(undefined) : rule.read(value, field)),
    schema: {
      ...(description !== undefined && { description }),
      anyOf: [...(anyOf ?? [schema]), { enum: ['', null] }],
    },
    required: false,
  };
}

/** Same values, other description. */
export function described<R extends ValueRule<unknown>>(rule: R, description: string, more: JsonSchema = {}): R {
  return { ...rule, schema: { ...rule.schema, ...more, description } };
}

/** Refuses numbers: they lost leading zeros. */
function readText(value: unknown, field: string, code: ErrorCode = 'invalid_request'): Result<string, CodedFault> {
  return typeof value === 'string' ? ok(value) : fault(code, field, `${field} must be a string, not ${shapeOf(value)}`);
}

/** `read` gives null for a fault; `must` completes "<field> must …". */
export function textAs<T>(
  read: (sent: string) => T | null,
  must: string,
  schema: JsonSchema,
  code: ErrorCode = 'invalid_request',
): ValueRule<T> {
  return {
    read: (value, field) => {
      const sent = readText(value, field, code);
      if (!sent.ok) return sent;
      const made = read(sent.value);
      return made === null ? fault(code, field, `${field} must ${must}`) : ok(made);
    },
    schema: { type: 'string', ...schema },
  };
}

export function patternText({
  pattern,
  rule,
  example,
}: Omit<NumberRule, 'example'> & { readonly example?: string }): ValueRule<string> {
  const schema = {
    pattern: pattern.source,
    description: `${capitalised(rule)}.`,
    ...(example !== undefined && { examples: [example] }),
  };
  return textAs((sent) => (pattern.test(sent) ? sent : null), `be ${rule}`, schema);
}

export function lineUpTo(characters: number, code: ErrorCode = 'invalid_request'): ValueRule<string> {
  return {
    read: (value, field) => {
      const sent = readText(value, field, code);
      if (!sent.ok) return sent;
      if (sent.value.length > characters)
        return fault(code, field, `${field} must have at most ${String(characters)} characters`);
      return CONTROL.test(sent.value) ? fault(code, field, `${field} must have no control characters`) : sent;
    },
    schema: { type: 'string', minLength: 1, maxLength: characters, pattern: '^[^\\u0000-\\u001f\\u007f]*$' },
  };
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

const MAX_NAME = 50;

/** Only ASCII: other letters can fold to it (`ſ`, the Kelvin sign). */
function folded(name: string): string | null {
  return name.length <= MAX_NAME && /^[ -~]+$/.test(name) ? name.toLowerCase().replace(/[ _-]/g, '') : null;
}

const SPELLINGS = new WeakMap<NamedChoice, ReadonlySet<string | null>>();

function spellingsOf(choice: NamedChoice): ReadonlySet<string | null> {
  const known = SPELLINGS.get(choice) ?? new Set([choice.name, ...choice.aliases].map(folded));
  SPELLINGS.set(choice, known);
  return known;
}

/** By name or alias. */
export function choiceNamed<C extends NamedChoice>(choices: readonly C[], sent: unknown): C | undefined {
  const key = typeof sent === 'string' ? folded(sent) : null;
  if (key === null) return undefined;
  return choices.find((choice) => spellingsOf(choice).has(key));
}

/** `code` if there is none. */
export function oneOf<C extends NamedChoice>(choices: readonly C[], code: ErrorCode, what?: string): ValueRule<C> {
  const names = choices.map(({ name }) => name);
  return {
    read: (value, field) => {
      const sent = readText(value, field);
      if (!sent.ok) return sent;
      const choice = choiceNamed(choices, sent.value);
      return choice === undefined ? fault(code, field, `${field} must be one of ${names.join(', ')}`) : ok(choice);
    },
    schema: { type: 'string', enum: names, description: spellings(choices, what) },
  };
}

export function spellings(choices: readonly NamedChoice[], what?: string): string {
  const aliases = choices.flatMap((choice) => choice.aliases);
  const known = aliases.length > 0 ? `; also known as ${aliases.join(', ')}` : '';
  return [what, `Any letter case, spaces or dashes${known}.`].filter((part) => part !== undefined).join(' ');
}

export interface AmountRule {
  /** Decimals of a request, and of minor units. */
  readonly decimals: number;
  readonly minorDecimals: number;
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
  /** Functions, because the text is seldom needed. */
  readonly outOfRange: { readonly code: ErrorCode; readonly below: () => string; readonly above: () => string };
}

/** A limit fault wins over too many decimals or digits. */
export function amountOf({ decimals, minorDecimals, minMinor, maxMinor, outOfRange }: AmountRule): ValueRule<bigint> {
  const read = (value: unknown, field: string): Result<bigint, CodedFault> => {
    if (typeof value !== 'string' && !isRawNumber(value)) {
      return fault('invalid_request', field, `${field} must be a number or a decimal string, not ${shapeOf(value)}`);
    }
    const sent = value.toString();
    // A negative number breaks the limit, not the form.
    if (/^-\d+(\.\d+)?$/.test(sent)) return fault(outOfRange.code, field, outOfRange.below());
    if (sent.length > MAX_DECIMAL_LENGTH) {
      return fault('invalid_request', field, `${field} must have at most ${String(MAX_DECIMAL_LENGTH)} characters`);
    }
    if ((compareDecimal(sent, minMinor, minorDecimals) ?? 0) < 0)
      return fault(outOfRange.code, field, outOfRange.below());
    if ((compareDecimal(sent, maxMinor, minorDecimals) ?? 0) > 0)
      return fault(outOfRange.code, field, outOfRange.above());
    const parsed = parseDecimal(sent, decimals);
    if (!parsed.ok) return fault('invalid_request', field, `${field} ${parsed.error}`);
    return ok(parsed.value * 10n ** BigInt(minorDecimals - decimals));
  };
  return {
    read,
    schema: amountSchema(decimals, formatDecimal(minMinor, minorDecimals), formatDecimal(maxMinor, minorDecimals)),
  };
}

/**
 * JSON Schema needs numbers for limits; they are exact. No multipleOf 0.01: validators with floats would refuse
 * 8.41.
 */
function amountSchema(decimals: number, least: string, most: string): JsonSchema {
  const digits = decimals === 0 ? String.raw`^\d+(\.0+)?$` : String.raw`^\d+(\.\d{1,${String(decimals)}}0*)?$`;
  return {
    description: `${least} to ${most}, with ${decimals === 0 ? 'no decimals' : `at most ${String(decimals)} decimals`}; no exponent.`,
    anyOf: [
      {
        type: 'number',
        ...(decimals === 0 && { multipleOf: 1 }),
        minimum: JSON.parse(least) as number,
        maximum: JSON.parse(most) as number,
      },
      { type: 'string', pattern: digits, maxLength: MAX_DECIMAL_LENGTH },
    ],
  };
}
