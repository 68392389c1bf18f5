import { setTimeout as pause } from 'node:timers/promises';

import { INTERNAL_PATH, type CallContext, type InternalOperation } from '@vuka/contracts';
import {
  type Clock,
  ContractError,
  DeadlineExceededError,
  type Logger,
  type Metrics,
  ServiceUnavailableError,
} from '@vuka/runtime';
import { z } from 'zod';

import { CallEncoding, type Answer } from './call-encoding.js';
import { Circuit, CircuitOpenError } from './circuit.js';
import { HttpConnections, NoReplyError, ReplyTooLongError, type HttpReply, type HttpRequest } from './http-exchange.js';
import { InFlight } from './in-flight.js';
import {
  DEADLINE_HEADER,
  longestCallMs,
  READY_PATH,
  readReply,
  REQUEST_ID_HEADER,
  TRACE_HEADER,
  type CallFailure,
  type Reply,
} from './internal-protocol.js';

export interface ServiceLinkOptions {
  readonly service: string;
  readonly origin: string;
  readonly credential: string;
  readonly connectionLifeMs: number;
  readonly ca: string | undefined;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

export type Call = (input: unknown, context: CallContext) => Promise<Answer>;

/** Per operation: slow lists take no connection from payouts. */
const CONNECTIONS = 64;
/** Per operation; further calls are refused at once. */
const MAX_CALLS = 1_024;
/** With less time, a missing answer shows no outage. */
const FAIR_MS = 250;
/** Before a retry on a busy service; up to twice this. */
const PAUSE_MS = 20;
const READY_WITHIN_MS = 1_000;

/** For example a proxy's answer. */
class StrangeReplyError extends Error {
  override readonly name = 'StrangeReplyError';
}

/** May be retried. `sent`: the work may have been done. */
class NotAnswered {
  constructor(
    readonly error: Error,
    readonly reason: string,
    readonly sent: boolean,
    /** Overloaded: pause before the retry. */
    readonly busy: boolean,
  ) {}
}

interface Sending {
  readonly name: string;
  readonly request: HttpRequest;
  readonly context: CallContext;
}

export class ServiceLink {
  private readonly connections: HttpConnections;
  private readonly circuit: Circuit;
  private closed = false;
  /** Logged once until a call is accepted. */
  private refused = false;

  constructor(private readonly options: ServiceLinkOptions) {
    const { service, origin, connectionLifeMs, ca, log, metrics } = options;
    this.connections = new HttpConnections({
      origin,
      connections: CONNECTIONS,
      lifeMs: connectionLifeMs,
      ...(ca !== undefined && { ca }),
    });
    this.circuit = new Circuit({ callee: service, isOutage, log, metrics });
  }

  get state(): true | string {
    return this.circuit.state;
  }

  /** Errors: ServiceUnavailableError, DeadlineExceededError, ContractError. */
  caller(name: string, operation: InternalOperation): Call {
    const { service, log } = this.options;
    const encoding = new CallEncoding(service, name, operation);
    const calls = new InFlight(MAX_CALLS);
    return async (input, context) => {
      if (this.closed) throw new ServiceUnavailableError(service, 'this process is stopping', { sent: false });
      const request = this.requestOf(name, encoding.encodeInput(input), context);
      const answer = calls.begin(() => this.send({ name, request, context }, operation));
      if (answer === undefined) {
        log.warn({ callee: service, operation: name, calls: calls.count }, 'too many calls to a service are waiting');
        throw new ServiceUnavailableError(service, 'too many calls are waiting', { sent: false });
      }
      return encoding.decodeAnswer(await answer);
    };
  }

  /** Takes at most a second. */
  async ready(): Promise<true | string> {
    try {
      const { status, text } = await this.connections.sendAfresh(
        { method: 'GET', path: READY_PATH, headers: {} },
        READY_WITHIN_MS,
      );
      if (status !== 200) return whyNotReady(text);
      return this.circuit.state;
    } catch (error) {
      return error instanceof Error ? error.message : 'failed';
    }
  }

  async close(withinMs: number): Promise<void> {
    this.closed = true;
    await this.connections.close(withinMs);
    this.circuit.shutdown();
  }

  /** Only an idempotent operation is tried twice. */
  private async send(sending: Sending, { idempotent, commits = false }: InternalOperation): Promise<Answer> {
    const first = await this.attempt(sending, false, false);
    if (!(first instanceof NotAnswered)) return first;
    if (!idempotent || this.closed) throw this.unavailable(first, first.sent);
    if (first.busy)
      await pause(Math.min(PAUSE_MS * (1 + Math.random()), Math.max(0, this.leftMs(sending.context) / 2)));
    const second = await this.attempt(sending, true, first.sent);
    if (second instanceof NotAnswered) throw this.unavailable(second, first.sent || second.sent);
    // The first attempt may still commit elsewhere: the outcome is unknown.
    if (commits && first.sent && !second.ok) throw this.unavailable(first, true);
    return second;
  }

  /** `sentBefore`: an earlier attempt may have done the work. */
  private async attempt(
    { name, request, context }: Sending,
    again: boolean,
    sentBefore: boolean,
  ): Promise<Answer | NotAnswered> {
    const { service } = this.options;
    const leftMs = Math.min(this.leftMs(context), longestCallMs(name));
    if (leftMs < 1) throw new DeadlineExceededError(service, name, { sent: sentBefore });
    const timed = { ...request, headers: { ...request.headers, [DEADLINE_HEADER]: String(Math.floor(leftMs)) } };
    try {
      const reply = await this.circuit.run(async () => {
        const sent = again ? this.connections.sendAfresh(timed, leftMs) : this.connections.send(name, timed, leftMs);
        return this.understand(await sent);
      }, leftMs >= FAIR_MS);
      return this.answerOf(reply, sentBefore);
    } catch (error) {
      return this.notAnswered(error, name, sentBefore);
    }
  }

  /** Throws StrangeReplyError. */
  private understand({ status, text }: HttpReply): Reply {
    if (status === 401) {
      this.tellRefusal();
      const message = 'the service refuses our credential';
      return { kind: 'failure', failure: { kind: 'refused', service: this.options.service, message } };
    }
    this.refused = false;
    const reply = readReply(text);
    if (reply === null) throw new StrangeReplyError(`the answer is not from a Vuka service (HTTP ${String(status)})`);
    return reply;
  }

  private answerOf(reply: Reply, sentBefore: boolean): Answer | NotAnswered {
    if (reply.kind === 'answer') return reply.answer;
    const { kind, message } = reply.failure;
    if (kind === 'not_started') return new NotAnswered(new Error(message), message, sentBefore, true);
    if (kind === 'refused') throw new ServiceUnavailableError(this.options.service, message, { sent: sentBefore });
    throw errorOf(reply.failure);
  }

  private notAnswered(error: unknown, name: string, sentBefore: boolean): NotAnswered {
    const { service } = this.options;
    if (error instanceof CircuitOpenError)
      throw new ServiceUnavailableError(service, error.message, { sent: sentBefore });
    if (error instanceof ReplyTooLongError)
      throw new ContractError(`${service}.${name} answer is too long: ${error.message}`);
    if (error instanceof StrangeReplyError) return new NotAnswered(error, error.message, true, true);
    if (!(error instanceof NoReplyError)) throw error;
    const sent = sentBefore || error.how.sent;
    if (error.how.late) throw new DeadlineExceededError(service, name, { sent, cause: error });
    return new NotAnswered(error, error.message, sent, false);
  }

  private unavailable({ error, reason }: NotAnswered, sent: boolean): ServiceUnavailableError {
    return new ServiceUnavailableError(this.options.service, reason, { sent, cause: error });
  }

  private tellRefusal(): void {
    const { log, service } = this.options;
    if (!this.refused)
      log.error({ code: 'internal_credential_refused', callee: service }, 'a service refuses our internal credential');
    this.refused = true;
  }

  private requestOf(
    name: string,
    body: string,
    { requestId, traceparent, credential = this.options.credential }: CallContext,
  ): HttpRequest {
    const headers = {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      [REQUEST_ID_HEADER]: requestId,
      [TRACE_HEADER]: traceparent,
    };
    return { method: 'POST', path: INTERNAL_PATH + name, headers, body };
  }

  private leftMs({ deadline }: CallContext): number {
    return deadline - this.options.clock.now().getTime();
  }
}

/** Any answer of the service itself is no outage. */
function isOutage(error: unknown): boolean {
  return error instanceof NoReplyError || error instanceof StrangeReplyError;
}

function errorOf({ kind, service, operation = '', message }: CallFailure): Error {
  if (kind === 'contract') return new ContractError(message);
  return kind === 'deadline'
    ? new DeadlineExceededError(service, operation)
    : new ServiceUnavailableError(service, message);
}

const healthSchema = z.object({ services: z.record(z.string(), z.string()) });

function whyNotReady(text: string): string {
  try {
    const { services } = healthSchema.parse(JSON.parse(text));
    return (
      Object.entries(services)
        .flatMap(([name, state]) => (state === 'ready' ? [] : [`${name}: ${state}`]))
        .join(', ') || 'not ready'
    );
  } catch {
    return 'not ready';
  }
}
