import type { AddressInfo } from 'node:net';

import {
  ADMIN_OPERATION,
  type CallContext,
  type InternalApi,
  type InternalHandlers,
  INTERNAL_PATH,
} from '@vuka/contracts';
import {
  answerWithin,
  type Clock,
  ContractError,
  type CounterMetric,
  DeadlineExceededError,
  type Health,
  type HistogramMetric,
  type Logger,
  type Metrics,
} from '@vuka/runtime';
import type { fastify, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { PeopleDoor } from '../../admin/actor.js';
import { newCallContext } from '../call-context.js';
import { failureOf, type Answer } from '../call-encoding.js';
import { InFlight } from '../in-flight.js';
import {
  DEADLINE_HEADER,
  longestCallMs,
  READY_PATH,
  REQUEST_ID_HEADER,
  TRACE_HEADER,
  type CallFailure,
} from '../internal-protocol.js';
import { callersOf, type AcceptedCaller } from './accepted-callers.js';
import { RefusedCalls } from './refused-calls.js';
import { failedReply, outageReply, type Reply } from './reply.js';
import { servedAdmin, servedOperations, type Admins, type Caller, type ServedOperation } from './served-operation.js';

export interface InternalServerOptions<A extends InternalApi> {
  readonly service: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** PEM. null or absent: without TLS. */
  readonly tls?: ServerCertificate | null;
  readonly api?: A;
  readonly handlers?: InternalHandlers<A>;
  readonly admins?: Admins;
  /** Of the admin API alone. Absent: nobody may call it. */
  readonly people?: PeopleDoor;
  readonly accept: readonly AcceptedCaller[];
  /** Bounded here. */
  readonly health: () => Promise<Health>;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly clock: Clock;
  /** Default 1,000. Further calls get 503 before anything is done. */
  readonly maxInFlight?: number;
  /** Milliseconds; default 8,000. */
  readonly drainMs?: number;
}

/** PEM: with the chain up to its authority, and without a passphrase. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface InternalServer {
  /** Reachable from this machine. */
  readonly baseUrl: string;
  /** Drains, then closes. Bounded; may be called twice. */
  stop(): Promise<void>;
}

const MAX_IN_FLIGHT = 1_000;
/** Calls of the gateway have 2 s. */
const DRAIN_MS = 8_000;
/** A payout's body is below 5 kB. */
const BODY_LIMIT_BYTES = 256 * 1024;
/** For files of signed refunds (apps/cli, sign-refunds.ts). */
const ADMIN_BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const ADMIN_PATH = INTERNAL_PATH + ADMIN_OPERATION;
const REQUEST_TIMEOUT_MS = 5_000;
/** Longer than callers' (http-exchange.ts): they close, never while in use. */
const KEEP_ALIVE_MS = 15_000;
const HEALTH_WITHIN_MS = 2_000;
const LATE = Symbol('late');

declare module 'fastify' {
  interface FastifyRequest {
    internalCaller: Caller;
  }
}

/** Throws SettingsError (a credential is too short) and what listening throws. */
export async function startInternalServer<A extends InternalApi>(
  options: InternalServerOptions<A>,
): Promise<InternalServer> {
  // The admin API and the commands serve nothing.
  const { fastify: make } = await import('fastify');
  const server = new Server(options, bareFastify(make, options.tls ?? null));
  await server.listen(options.host, options.port);
  return server;
}

/** No Nest: a table answers the one route, without Nest's cost per call. */
class Server implements InternalServer {
  private readonly operations: ReadonlyMap<string, ServedOperation>;
  private readonly admin: ServedOperation;
  private readonly callerOf: (authorization: string | undefined) => AcceptedCaller | null;
  private readonly calls: InFlight;
  private readonly served: HistogramMetric<'operation' | 'outcome'>;
  private readonly shed: CounterMetric;
  private readonly refused: RefusedCalls;
  private draining = false;
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly options: Omit<InternalServerOptions<InternalApi>, 'handlers'> & { readonly handlers?: unknown },
    private readonly app: FastifyInstance,
  ) {
    const { service, api, handlers, accept, metrics, log, maxInFlight = MAX_IN_FLIGHT } = options;
    this.operations = servedOperations(service, api, handlers);
    this.admin = servedAdmin(service, options.admins ?? {}, options.clock);
    this.callerOf = callersOf(accept);
    this.refused = new RefusedCalls(metrics, log);
    this.calls = new InFlight(maxInFlight);
    this.served = metrics.histogram(
      'vuka_internal_served_seconds',
      'Duration of calls from other services, until the answer',
      ['operation', 'outcome'],
    );
    this.shed = metrics.counter(
      'vuka_internal_shed_total',
      'Calls from other services that were refused because of overload',
    );
    metrics.gauge('vuka_internal_in_flight_calls', 'Running calls from other services', [], {
      collect: (gauge) => gauge.set({}, this.calls.count),
    });
    this.addRoutes();
  }

  get baseUrl(): string {
    const { family, address, port } = this.app.server.address() as AddressInfo;
    const scheme = this.options.tls ? 'https' : 'http';
    return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
  }

  async listen(host: string, port: number): Promise<void> {
    await this.app.listen({ host, port });
  }

  stop(): Promise<void> {
    this.stopped ??= this.shutDown();
    return this.stopped;
  }

  private async shutDown(): Promise<void> {
    const { drainMs = DRAIN_MS, log } = this.options;
    this.draining = true;
    const closed = this.app.close();
    // A call still runs after its caller gave up.
    const ended = Promise.all([closed, this.calls.empty()]).then(() => true);
    if (!(await answerWithin(drainMs, ended, false))) {
      log.warn({ calls: this.calls.count }, 'internal calls did not end in time and are cut off');
      this.app.server.closeAllConnections();
    }
    await closed;
  }

  private addRoutes(): void {
    this.app.decorateRequest('internalCaller');
    this.app.addHook('onSend', async (_request, reply) => {
      if (this.draining) void reply.header('connection', 'close');
    });
    this.app.post<{ Params: { operation: string } }>(
      `${INTERNAL_PATH}:operation`,
      { onRequest: async (request, reply) => this.letIn(request, reply) },
      async (request, reply) => this.answer(request, reply, this.operations.get(request.params.operation)),
    );
    this.app.post(
      ADMIN_PATH,
      { bodyLimit: ADMIN_BODY_LIMIT_BYTES, onRequest: async (request, reply) => this.letIn(request, reply) },
      async (request, reply) => this.answer(request, reply, this.admin),
    );
    this.app.get('/health/live', async () => ({ status: 'live' }));
    this.app.get(READY_PATH, async (_request, reply) => {
      const health = await this.health();
      return reply.code(health.ready ? 200 : 503).send(health);
    });
    this.app.get('/metrics', async (_request, reply) =>
      reply.type(this.options.metrics.contentType).send(await this.options.metrics.text()),
    );
    this.app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({}));
    this.app.setErrorHandler(async (error: FastifyError, _request, reply) =>
      this.sendReply(reply, this.unreadable(error)),
    );
  }

  private async health(): Promise<Health> {
    const { service, health } = this.options;
    if (this.draining) return { ready: false, services: { [service]: 'stopping' } };
    try {
      return await answerWithin(HEALTH_WITHIN_MS, health(), {
        ready: false,
        services: { [service]: 'no answer in time' },
      });
    } catch (error) {
      return { ready: false, services: { [service]: error instanceof Error ? error.name : 'failed' } };
    }
  }

  /** Before the body is read. An unknown caller learns no reason. */
  private async letIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { authorization } = request.headers;
    const isForPeople = request.routeOptions.url === ADMIN_PATH;
    const service = this.callerOf(authorization);
    if (isForPeople && service !== null) {
      this.refused.note('wrong_kind', request);
      return this.sendReply(reply, this.failed(403, 'refused', 'only people may call the admin API, by admin'));
    }
    const person = isForPeople ? await this.options.people?.admit(authorization) : null;
    const caller: Caller | null = person ? { caller: 'admin', person } : service;
    if (caller === null) {
      this.refused.note('credential_unknown', request);
      return reply.code(401).header('www-authenticate', 'Bearer').send();
    }
    request.internalCaller = caller;
    return isForPeople ? undefined : this.letDo(caller, request, reply);
  }

  /** An operation that is not known is answered later: there is nothing to guard. */
  private letDo({ caller }: Caller, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const operation = this.operations.get((request.params as { operation: string }).operation);
    if (operation === undefined || operation.callers.includes(caller)) return undefined;
    this.refused.note('operation_not_allowed', request);
    this.refused.tell('operation_not_allowed', caller, operation.name);
    const message = `${caller} may not call ${operation.name}`;
    return this.sendReply(reply, this.failed(403, 'refused', message, 'operation_not_allowed'));
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: ServedOperation | undefined,
  ): Promise<FastifyReply> {
    const began = performance.now();
    if (operation === undefined)
      return this.sendReply(reply, this.failed(404, 'refused', 'it does not know this operation'));
    const answer = await this.reply(request, operation);
    this.served.observe({ operation: operation.name, outcome: answer.outcome }, (performance.now() - began) / 1_000);
    return this.sendReply(reply, answer);
  }

  private async reply(request: FastifyRequest, operation: ServedOperation): Promise<Reply> {
    if (this.draining) return this.failed(503, 'not_started', 'it is stopping');
    const { headers } = request;
    const leftMs = deadlineOf(headers[DEADLINE_HEADER], longestCallMs(operation.name));
    const { service, clock, log } = this.options;
    if (leftMs === null)
      return this.contractBroken(
        400,
        new ContractError(`${service}.${operation.name} has no ${DEADLINE_HEADER} in milliseconds`),
        request,
      );
    const ids = { requestId: textOf(headers[REQUEST_ID_HEADER]), traceparent: textOf(headers[TRACE_HEADER]) };
    const context = newCallContext({ ...ids, budgetMs: leftMs }, clock);
    let status = 400;
    try {
      if (leftMs === 0) throw new DeadlineExceededError(service, operation.name);
      const input = operation.encoding.decodeInput(request.body as string | undefined);
      status = 500;
      const work = this.calls.begin(() => this.handle(operation, input, context, request.internalCaller));
      if (work === undefined) {
        this.shed.add({});
        return this.failed(503, 'not_started', 'it is busy');
      }
      const answer = await answerWithin(leftMs, work, LATE);
      if (answer === LATE) throw new DeadlineExceededError(service, operation.name);
      operation.encoding.tellUndeclared(answer, log);
      return { status: 200, text: operation.encoding.encodeAnswer(answer), outcome: answer.ok ? 'ok' : 'problem' };
    } catch (error) {
      return error instanceof ContractError
        ? this.contractBroken(status, error, request)
        : outageReply(failureOf(error, service, operation.name, log));
    }
  }

  private async handle(
    { name, handler }: ServedOperation,
    input: unknown,
    context: CallContext,
    caller: Caller,
  ): Promise<Answer> {
    const { service, log } = this.options;
    try {
      return await handler(input, context, caller);
    } catch (error) {
      throw failureOf(error, service, name, log);
    }
  }

  private contractBroken(status: number, error: ContractError, request: FastifyRequest): Reply {
    this.options.log.error(
      { err: error, caller: request.internalCaller.caller, request_id: request.headers[REQUEST_ID_HEADER] },
      'a call between services breaks its contract',
    );
    return this.failed(status, 'contract', error.message);
  }

  private unreadable(error: FastifyError): Reply {
    const { log } = this.options;
    const status = error.statusCode ?? 500;
    if (status < 500) {
      log.warn({ err: error }, 'a call between services could not be read');
      return {
        ...this.failed(status, 'contract', `the request could not be read (${error.code})`),
        outcome: 'contract',
      };
    }
    log.error({ err: error }, 'a call between services could not be answered');
    return this.failed(status, 'unavailable', 'failed');
  }

  private failed(status: number, kind: CallFailure['kind'], message: string, code?: string): Reply {
    const { service } = this.options;
    return failedReply(status, { kind, service, message, ...(code !== undefined && { code }) });
  }

  private sendReply(reply: FastifyReply, { status, text }: Reply): FastifyReply {
    return reply.code(status).header('content-type', 'application/json').send(text);
  }
}

function bareFastify(make: typeof fastify, tls: ServerCertificate | null): FastifyInstance {
  const times = { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 };
  const options = {
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // Kept-alive connections get our own 503.
    return503OnClosing: false,
  } as const;
  const app =
    tls === null
      ? make({ ...options, http: times })
      : // Its type differs in the server alone, of which nothing is used that only one of them has.
        (make({
          ...options,
          https: { ...times, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: REQUEST_TIMEOUT_MS },
        }) as unknown as FastifyInstance);
  app.removeAllContentTypeParsers();
  // The encoding parses it and reports errors.
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  return app;
}

/** null if absent or not a number. */
function deadlineOf(header: string | string[] | undefined, longestMs: number): number | null {
  return typeof header === 'string' && /^\d{1,9}$/.test(header) ? Math.min(Number(header), longestMs) : null;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
