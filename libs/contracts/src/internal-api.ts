import type { ErrorCode, Problem, Result } from '@vuka/domain';
import type { z } from 'zod';

export const INTERNAL_PATH = '/internal/';

export type OperationErrors = Readonly<Partial<Record<ErrorCode, string>>>;

/** Programs with a credential of their own. `setup` makes the sandbox's partners. */
export type InternalCaller = 'gateway' | 'checkout' | 'setup';

/**
 * By internal HTTP or in process. Plain JSON: amounts are decimal strings of minor units, times RFC 3339
 * strings.
 */
export interface InternalOperation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly input: I;
  readonly output: O;
  /** No full stop. */
  readonly summary: string;
  /** Codes that are missing here are logged. */
  readonly errors: OperationErrors;
  /** Who may call it, checked by the internal server. None: people alone. In one process nobody else can call. */
  readonly callers: readonly InternalCaller[];
  /** A retry does not do the work twice. */
  readonly idempotent: boolean;
  /** If an answer was lost, a refusal of the retry is not final: the first call may still commit. */
  readonly commits?: boolean;
}

export interface InternalApi {
  readonly service: string;
  readonly operations: Readonly<Record<string, InternalOperation>>;
}

/** `deadline` is epoch milliseconds; it only ever shrinks. */
export interface CallContext {
  readonly requestId: string;
  readonly traceparent: string;
  readonly deadline: number;
  /** What admin shows for a person, in the place of a credential of its own. */
  readonly credential?: string;
}

/** Expected failures are values. */
export type InternalHandlers<A extends InternalApi> = {
  readonly [K in keyof A['operations']]: (
    input: z.output<A['operations'][K]['input']>,
    context: CallContext,
  ) => Promise<Result<z.input<A['operations'][K]['output']>, Problem>>;
};

/** Throws ServiceUnavailableError or DeadlineExceededError (libs/runtime). */
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
