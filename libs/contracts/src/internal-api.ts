import type { ErrorCode, Problem, Result } from '@vuka/domain';
import type { z } from 'zod';

/** Before the name of an operation: where a service's internal server answers it, by POST. */
export const INTERNAL_PATH = '/internal/';

/** Expected failures by their code, each with when it is answered. */
export type OperationErrors = Readonly<Partial<Record<ErrorCode, string>>>;

/**
 * One operation a service answers by internal HTTP (or the in-process twin of it). `input` and `output` are
 * plain JSON: amounts are decimal strings of minor units, times RFC 3339 strings.
 */
export interface InternalOperation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly input: I;
  readonly output: O;
  /** What it does, in a sentence without a full stop. */
  readonly summary: string;
  /** All that its handler answers; what is missing here is logged where it is answered. */
  readonly errors: OperationErrors;
  /** May be sent again after a lost answer without doing the work twice. */
  readonly idempotent: boolean;
  /**
   * What it is asked for is committed, or refused for a reason that may pass. So after a try whose answer was lost, a refusal of the next
   * one is no last word: the first may be committed yet.
   */
  readonly commits?: boolean;
}

export interface InternalApi {
  readonly service: string;
  readonly operations: Readonly<Record<string, InternalOperation>>;
}

/** Carried on with every internal call. `deadline` is epoch milliseconds; it only ever shrinks. */
export interface CallContext {
  readonly requestId: string;
  readonly traceparent: string;
  readonly deadline: number;
  /** Shown in place of the caller's own: an operator's, for whom admin asks. */
  readonly credential?: string;
}

/** What a service implements: every operation of its API, expected failures as values. */
export type InternalHandlers<A extends InternalApi> = {
  readonly [K in keyof A['operations']]: (
    input: z.output<A['operations'][K]['input']>,
    context: CallContext,
  ) => Promise<Result<z.input<A['operations'][K]['output']>, Problem>>;
};

/** What a caller holds: the same operations. Throws ServiceUnavailableError or DeadlineExceededError (libs/runtime). */
export type InternalClient<A extends InternalApi> = {
  readonly [K in keyof A['operations']]: (
    input: z.input<A['operations'][K]['input']>,
    context: CallContext,
  ) => Promise<Result<z.output<A['operations'][K]['output']>, Problem>>;
};

export function operation<I extends z.ZodType, O extends z.ZodType>(
  input: I,
  output: O,
  options: Omit<InternalOperation, 'input' | 'output'>,
): InternalOperation<I, O> {
  return { input, output, ...options };
}
