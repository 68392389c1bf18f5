import type { InternalOperation } from '@vuka/contracts';
import { ERROR_CODES, type ErrorCode, type Problem, type Result } from '@vuka/domain';
import { ContractError, DeadlineExceededError, type Logger, ServiceUnavailableError } from '@vuka/runtime';
import { z } from 'zod';

export type Answer = Result<unknown, Problem>;

const problemSchema: z.ZodType<Problem> = z.object({
  code: z.enum(ERROR_CODES as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  faults: z.array(z.object({ detail: z.string(), pointer: z.string() })).exactOptional(),
  transactionCode: z.string().exactOptional(),
  retryAfterS: z.int().positive().exactOptional(),
  limit: z.object({ name: z.string(), ratePerS: z.number().positive(), burst: z.int().positive() }).exactOptional(),
});

export class CallEncoding {
  private readonly input: string;
  private readonly value: string;
  private readonly problem: string;

  constructor(
    service: string,
    name: string,
    private readonly operation: InternalOperation,
  ) {
    this.input = `${service}.${name} input`;
    this.value = `${service}.${name} answer`;
    this.problem = `${service}.${name} problem`;
  }

  /** An undeclared error code still goes through, because it is true. */
  tellUndeclared(answer: Answer, log: Logger): void {
    if (answer.ok || Object.hasOwn(this.operation.errors, answer.error.code)) return;
    const { code: error } = answer.error;
    log.error(
      { code: 'undeclared_error', problem: this.problem, error },
      'an operation answers what its row does not name',
    );
  }

  encodeInput(input: unknown): string {
    return encode(this.input, input);
  }

  decodeInput(text: string | undefined): unknown {
    return check(this.input, this.operation.input, parse(this.input, text));
  }

  /** Drops unknown members: they must not leave the service. */
  encodeAnswer(answer: Answer): string {
    return answer.ok
      ? `{"ok":true,"value":${encodeChecked(this.value, this.operation.output, answer.value)}}`
      : `{"ok":false,"error":${encodeChecked(this.problem, problemSchema, answer.error)}}`;
  }

  decodeAnswer(answer: Answer): Answer {
    return answer.ok
      ? { ok: true, value: check(this.value, this.operation.output, answer.value) }
      : { ok: false, error: check(this.problem, problemSchema, answer.error) };
  }

  /** decodeAnswer(encodeAnswer()) with one validation. */
  passAnswer(answer: Answer): Answer {
    return this.decodeAnswer(
      answer.ok
        ? { ok: true, value: parse(this.value, encode(this.value, answer.value)) }
        : { ok: false, error: parse(this.problem, encode(this.problem, answer.error)) as Problem },
    );
  }
}

/**
 * Gives the outage that the handler reported; a bug is logged and hidden. The handler had begun, so the call counts
 * as sent, whatever happened further on.
 */
export function failureOf(
  error: unknown,
  service: string,
  name: string,
  log: Logger,
): ServiceUnavailableError | DeadlineExceededError {
  if (error instanceof ServiceUnavailableError) {
    return error.sent ? error : new ServiceUnavailableError(error.service, error.reason, { cause: error });
  }
  if (error instanceof DeadlineExceededError) {
    return error.sent ? error : new DeadlineExceededError(error.service, error.operation, { cause: error });
  }
  log.error({ err: error, operation: `${service}.${name}` }, 'an internal operation failed');
  return new ServiceUnavailableError(service, `${name} failed`, { cause: error });
}

function encode(what: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new ContractError(`${what} cannot be written as JSON`, { cause: error });
  }
  if (text === undefined) throw new ContractError(`${what} breaks its schema at (whole): missing`);
  return text;
}

/** Other than plain values (a Date, an undefined member) are validated as JSON. */
function encodeChecked(what: string, schema: z.ZodType, value: unknown): string {
  const plain = schema.safeParse(value);
  return encode(what, plain.success ? plain.data : check(what, schema, parse(what, encode(what, value))));
}

function parse(what: string, text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    throw new ContractError(`${what} is no JSON`);
  }
}

function check<T>(what: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || '(whole)'}: ${issue.code}`);
  throw new ContractError(`${what} breaks its schema at ${faults.join(', ')}`);
}
