import { ERROR_CODES, type ErrorCode, type Problem, type Result } from '@vuka/domain';
import type { CallContext, InternalApi, InternalClient, InternalHandlers, InternalOperation } from '@vuka/contracts';
import { z } from 'zod';

import { systemClock, type Clock } from './clock.js';
import { ContractError, DeadlineExceededError, ServiceUnavailableError } from './errors.js';
import type { Logger } from './logger.js';

type Answer = Result<unknown, Problem>;
type Handler = (input: unknown, context: CallContext) => Promise<Answer>;

const problem: z.ZodType<Problem> = z.object({
  code: z.enum(ERROR_CODES as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  faults: z.array(z.object({ detail: z.string(), pointer: z.string() })).exactOptional(),
  transactionCode: z.string().exactOptional(),
  retryAfterS: z.int().positive().exactOptional(),
  limit: z.object({ name: z.string(), ratePerS: z.number().positive(), burst: z.int().positive() }).exactOptional(),
});

/** What a service may be asked through: this in-process binding now, HTTP where services run apart. */
export interface InternalServices {
  client<A extends InternalApi>(api: A): InternalClient<A>;
}

/**
 * Internal calls between services of one process. Nothing is shared but text: input and answer are encoded,
 * decoded and held against the operation's schema as they would be over HTTP, and the deadline counts.
 */
export class InProcessServices implements InternalServices {
  private readonly registered = new Map<string, Readonly<Record<string, Handler>>>();

  constructor(
    private readonly log: Logger,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Throws when a service of that name is there already. */
  register<A extends InternalApi>(api: A, handlers: InternalHandlers<A>): void {
    if (this.registered.has(api.service)) throw new Error(`service ${api.service} is registered twice`);
    this.registered.set(api.service, handlers as unknown as Readonly<Record<string, Handler>>);
  }

  /**
   * Errors of a call: ServiceUnavailableError (nobody registered, or the handler threw), DeadlineExceededError,
   * ContractError (input or answer breaks the schema: a bug). A handler's own two first ones come through as they are.
   */
  client<A extends InternalApi>(api: A): InternalClient<A> {
    const calls = Object.entries(api.operations).map(([name, operation]) => [
      name,
      (input: unknown, context: CallContext) => this.call(api.service, name, operation, input, context),
    ]);
    return Object.fromEntries(calls) as InternalClient<A>;
  }

  private async call(
    service: string,
    name: string,
    operation: InternalOperation,
    input: unknown,
    context: CallContext,
  ): Promise<Answer> {
    const handler = this.registered.get(service)?.[name];
    if (handler === undefined) throw new ServiceUnavailableError(service, 'not running here');
    const budgetMs = context.deadline - this.clock.now().getTime();
    if (budgetMs <= 0) throw new DeadlineExceededError(service, name);

    const received = decode(`${service}.${name} input`, operation.input, JSON.stringify(input));
    const { requestId, traceparent, deadline } = context;
    const answer = await this.beforeDeadline(
      service,
      name,
      budgetMs,
      this.handle(service, name, () => handler(received, { requestId, traceparent, deadline })),
    );
    const text = JSON.stringify(answer.ok ? answer.value : answer.error);
    return answer.ok
      ? { ok: true, value: decode(`${service}.${name} answer`, operation.output, text) }
      : { ok: false, error: decode(`${service}.${name} problem`, problem, text) };
  }

  private async handle(service: string, name: string, run: () => Promise<Answer>): Promise<Answer> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof ServiceUnavailableError || error instanceof DeadlineExceededError) throw error;
      this.log.error({ err: error, service, operation: name }, 'an internal operation failed');
      throw new ServiceUnavailableError(service, `${name} failed`, { cause: error });
    }
  }

  private beforeDeadline(service: string, name: string, budgetMs: number, work: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new DeadlineExceededError(service, name)), budgetMs);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

function decode<T>(what: string, schema: z.ZodType<T>, text: string | undefined): T {
  const parsed = schema.safeParse(text === undefined ? undefined : JSON.parse(text));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || '(whole)'}: ${issue.code}`);
  throw new ContractError(`${what} breaks its schema at ${faults.join(', ')}`);
}
