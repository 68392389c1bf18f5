import type { NamedChoice, NumberRule } from './currency/currency.js';
import type { ErrorCode } from './errors.js';
import { compareDecimal, MAX_DECIMAL_LENGTH, parseDecimal } from './money.js';
import { fieldOf, isRawNumber, shapeOf } from './request-fields.js';
import { fail, ok, type Fault, type Problem, type Result } from './result.js';

/** A request's body, as parsed with raw numbers. */
export type RequestFields = Readonly<Record<string, unknown>>;

/** A fault and the reason of the catalogue it is refused for. */
export type CodedFault = Fault & { readonly code: ErrorCode };

/** Judges one field: its value, `undefined` where it was not sent, and its name. */
export type FieldRule<T> = (value: unknown, field: string) => Result<T, CodedFault>;

type RuleSet = Readonly<Record<string, FieldRule<unknown>>>;
type ValuesOf<R extends RuleSet> = { readonly [K in keyof R]: R[K] extends FieldRule<infer T> ? T : never };

/** What the fields hold by their rules, or every fault, in the order of the rules. Fields without a rule are ignored. */
export function readFields<R extends RuleSet>(body: RequestFields, rules: R): Result<ValuesOf<R>, readonly CodedFault[]> {
  const faults: CodedFault[] = [];
  const values: Record<string, unknown> = {};
  for (const [field, rule] of Object.entries(rules)) {
    const read = rule(fieldOf(body, field), field);
    if (read.ok) values[field] = read.value;
    else faults.push(read.error);
  }
  return faults.length === 0 ? ok(values as ValuesOf<R>) : fail(faults);
}

/** The problem of these faults: code and message are the first one's. */
export function refusal(faults: readonly CodedFault[]): Result<never, Problem> {
  const [first] = faults;
  if (first === undefined) throw new Error('a refusal without a fault');
  return fail<Problem>({
    code: first.code,
    message: first.detail,
    faults: faults.map(({ detail, pointer }) => ({ detail, pointer })),
  });
}

export function fault(code: ErrorCode, field: string, detail: string): { readonly ok: false; readonly error: CodedFault } {
  return fail({ code, detail, pointer: `/${field}` });
}

export function required<T>(rule: FieldRule<T>): FieldRule<T> {
  return (value, field) => (value === undefined ? fault('invalid_request', field, `${field} is required`) : rule(value, field));
}

export function optional<T>(rule: FieldRule<T>): FieldRule<T | undefined> {
  return (value, field) => (value === undefined ? ok(undefined) : rule(value, field));
}

/** Text that `accepts`; `must` completes "<field> must …". A number is refused: it has lost its leading zeros. */
export function text(accepts: (sent: string) => boolean, must: string, code: ErrorCode = 'invalid_request'): FieldRule<string> {
  return (value, field) => {
    if (typeof value !== 'string') return fault(code, field, `${field} must be a string, not ${shapeOf(value)}`);
    return accepts(value) ? ok(value) : fault(code, field, `${field} must ${must}`);
  };
}

export function numberText({ pattern, rule }: NumberRule): FieldRule<string> {
  return text((sent) => pattern.test(sent), `be ${rule}`);
}

export function textUpTo(characters: number, code: ErrorCode = 'invalid_request'): FieldRule<string> {
  return text((sent) => sent.length <= characters, `have at most ${String(characters)} characters`, code);
}

const MAX_NAME = 50;

/** Only ASCII: some letters elsewhere fold to it (`ſ`, the Kelvin sign), and none of our names has them. */
function folded(name: string): string | null {
  return name.length <= MAX_NAME && /^[ -~]+$/.test(name) ? name.toLowerCase().replace(/[ _-]/g, '') : null;
}

/** Folded once for each choice, which are the registry's own. */
const SPELLINGS = new WeakMap<NamedChoice, ReadonlySet<string | null>>();

function spellingsOf(choice: NamedChoice): ReadonlySet<string | null> {
  const known = SPELLINGS.get(choice) ?? new Set([choice.name, ...choice.aliases].map(folded));
  SPELLINGS.set(choice, known);
  return known;
}

/** The choice meant by a name as a client sent it, by its own name or an alias. */
export function choiceNamed<C extends NamedChoice>(choices: readonly C[], sent: unknown): C | undefined {
  const key = typeof sent === 'string' ? folded(sent) : null;
  if (key === null) return undefined;
  return choices.find((choice) => spellingsOf(choice).has(key));
}

/** One of the choices; `code` where there is no such choice. */
export function oneOf<C extends NamedChoice>(choices: readonly C[], code: ErrorCode): FieldRule<C> {
  return (value, field) => {
    if (typeof value !== 'string') return fault('invalid_request', field, `${field} must be a string, not ${shapeOf(value)}`);
    const choice = choiceNamed(choices, value);
    if (choice !== undefined) return ok(choice);
    return fault(code, field, `${field} must be one of ${choices.map(({ name }) => name).join(', ')}`);
  };
}

export interface AmountRule {
  /** Decimals that may be sent, and those of the minor units answered. */
  readonly decimals: number;
  readonly minorDecimals: number;
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
  /** Worded only where a limit is broken. */
  readonly outOfRange: { readonly code: ErrorCode; readonly below: () => string; readonly above: () => string };
}

/** A decimal amount in minor units. One beyond a limit is told so, also where it has too many decimals or digits besides. */
export function amountOf({ decimals, minorDecimals, minMinor, maxMinor, outOfRange }: AmountRule): FieldRule<bigint> {
  return (value, field) => {
    if (typeof value !== 'string' && !isRawNumber(value)) {
      return fault('invalid_request', field, `${field} must be a number or a decimal string, not ${shapeOf(value)}`);
    }
    const sent = value.toString();
    // A well-formed number below zero breaks the limit, not the form.
    if (/^-\d+(\.\d+)?$/.test(sent)) return fault(outOfRange.code, field, outOfRange.below());
    if (sent.length > MAX_DECIMAL_LENGTH) {
      return fault('invalid_request', field, `${field} must have at most ${String(MAX_DECIMAL_LENGTH)} characters`);
    }
    if ((compareDecimal(sent, minMinor, minorDecimals) ?? 0) < 0) return fault(outOfRange.code, field, outOfRange.below());
    if ((compareDecimal(sent, maxMinor, minorDecimals) ?? 0) > 0) return fault(outOfRange.code, field, outOfRange.above());
    const parsed = parseDecimal(sent, decimals);
    if (!parsed.ok) return fault('invalid_request', field, `${field} ${parsed.error}`);
    return ok(parsed.value * 10n ** BigInt(minorDecimals - decimals));
  };
}
