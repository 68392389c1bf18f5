import type { CallContext, InternalApi, InternalClient, InternalHandlers } from '@vuka/contracts';
import {
  answerWithin,
  type Clock,
  DeadlineExceededError,
  type Logger,
  type Metrics,
  ServiceUnavailableError,
  systemClock,
} from '@vuka/runtime';

import { CallEncoding, failureOf, type Answer } from './call-encoding.js';
import { countCalls, type CountCall } from './call-metrics.js';

type Handler = (input: unknown, context: CallContext) => Promise<Answer>;

const LATE = Symbol('late');

export interface InternalServices {
  client<A extends InternalApi>(api: A): InternalClient<A>;
}

/** Services of one process share only text: calls are encoded, validated and timed as over HTTP. */
export class InProcessServices implements InternalServices {
  private readonly registered = new Map<string, Readonly<Record<string, Handler>>>();
  private readonly count: CountCall;

  constructor(
    private readonly log: Logger,
    private readonly clock: Clock = systemClock,
    metrics?: Metrics,
  ) {
    this.count = countCalls(metrics);
  }

  /** Throws if already registered. */
  register<A extends InternalApi>(api: A, handlers: InternalHandlers<A>): void {
    if (this.registered.has(api.service)) throw new Error(`service ${api.service} is registered twice`);
    this.registered.set(api.service, handlers as unknown as Readonly<Record<string, Handler>>);
  }

  /**
   * Errors of a call: ServiceUnavailableError (not registered, or the handler threw), DeadlineExceededError,
   * ContractError. A handler's own first two pass unchanged.
   */
  client<A extends InternalApi>(api: A): InternalClient<A> {
    const calls = Object.entries(api.operations).map(([name, operation]) => {
      const encoding = new CallEncoding(api.service, name, operation);
      return [
        name,
        (input: unknown, context: CallContext) =>
          this.count(api.service, name, () => this.call(api.service, name, encoding, input, context)),
      ];
    });
    return Object.fromEntries(calls) as InternalClient<A>;
  }

  private async call(
    service: string,
    name: string,
    encoding: CallEncoding,
    input: unknown,
    context: CallContext,
  ): Promise<Answer> {
    const handler = this.registered.get(service)?.[name];
    if (handler === undefined) throw new ServiceUnavailableError(service, 'not running here', { sent: false });
    const budgetMs = context.deadline - this.clock.now().getTime();
    if (budgetMs <= 0) throw new DeadlineExceededError(service, name, { sent: false });

    const received = encoding.decodeInput(encoding.encodeInput(input));
    const { requestId, traceparent, deadline } = context;
    const work = this.handle(service, name, () => handler(received, { requestId, traceparent, deadline }));
    const answer = await answerWithin(budgetMs, work, LATE);
    if (answer === LATE) throw new DeadlineExceededError(service, name);
    encoding.tellUndeclared(answer, this.log);
    return encoding.passAnswer(answer);
  }

  private async handle(service: string, name: string, run: () => Promise<Answer>): Promise<Answer> {
    try {
      return await run();
    } catch (error) {
      throw failureOf(error, service, name, this.log);
    }
  }
}
