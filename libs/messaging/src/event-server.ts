import { Catch, UseFilters, applyDecorators, type ExceptionFilter } from '@nestjs/common';
import {
  BaseRpcContext,
  EventPattern,
  Server,
  type CustomTransportStrategy,
  type ReadPacket,
} from '@nestjs/microservices';
import type { Envelope, EventType } from '@vuka/contracts';
import { isObservable, lastValueFrom, throwError, type Observable } from 'rxjs';

import type { DeadLetters } from './dead-letters/dead-letters.js';
import { EVENT_CATALOGUE, type EventCatalogue } from './envelope.js';
import { PermanentEventError } from './delivery/subscription.js';
import type { EventBus } from './event-bus.js';

/** Second argument of a handler (`@Ctx()`): the envelope around the data. */
export class EventContext<T extends EventType = EventType> extends BaseRpcContext<[Envelope<T>]> {
  public get envelope(): Envelope<T> {
    return this.args[0];
  }
}

/** Hands a handler's own error to the event bus, which judges it; Nest would put "Internal server error" in its place. */
@Catch()
class HandlerErrorFilter implements ExceptionFilter {
  public catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * Marks the handler of an event: `@OnEvent('transaction.complete') on(@Payload() data, @Ctx() context: EventContext)`.
 * One handler per event and service. It is called again after a failure or a crash: dedupe with onceByInbox.
 */
export function OnEvent(type: EventType): MethodDecorator {
  return applyDecorators(EventPattern<string>(type), UseFilters(new HandlerErrorFilter()));
}

export interface EventServerOptions {
  /** The consuming service's name, as in TOPICS.consumers. */
  readonly group: string;
  readonly eventBus: Pick<EventBus, 'subscribe'>;
  /** In the consumer's own database: `new DeadLetterStore(db)`. */
  readonly deadLetters: DeadLetters;
  /** Events handled at the same time. */
  readonly concurrency?: number;
  readonly catalogue?: EventCatalogue;
}

/**
 * Nest's transport for events: `app.connectMicroservice({ strategy: new EventServer(...) })`. listen() fails where the
 * handlers and the catalogue disagree; deliveries begin when the event bus starts.
 */
export class EventServer extends Server implements CustomTransportStrategy {
  // The handler's stream is awaited here and its failure goes to the event bus, which logs it: Nest must not log it too.
  public override readonly propagatesEventHandlerErrors = true;

  private readonly catalogue: EventCatalogue;
  private unsubscribe: (() => Promise<void>) | undefined;

  public constructor(private readonly options: EventServerOptions) {
    super();
    this.catalogue = options.catalogue ?? EVENT_CATALOGUE;
    this.initializeSerializer(undefined);
    this.initializeDeserializer(undefined);
  }

  public listen(callback: (error?: unknown) => void): void {
    try {
      const { group, eventBus, deadLetters, concurrency } = this.options;
      const topics = topicsOf(group, this.catalogue);
      checkHandlers(group, this.messageHandlers, topics, this.catalogue);
      this.unsubscribe = eventBus.subscribe({
        group,
        topics,
        deadLetters,
        ...(concurrency === undefined ? {} : { concurrency }),
        handle: async (envelope) => {
          await this.handleEvent(
            envelope.type,
            { pattern: envelope.type, data: envelope.data },
            new EventContext([envelope]),
          );
        },
      });
      callback();
    } catch (error) {
      callback(error);
    }
  }

  public async close(): Promise<void> {
    await this.unsubscribe?.();
  }

  public override on(): never {
    throw new Error('EventServer emits no events of its own');
  }

  public override unwrap<T>(): T {
    return this.options.eventBus as T;
  }

  /** Resolves when the handler and its stream have ended; rejects with the handler's own error. */
  public override async handleEvent(pattern: string, packet: ReadPacket, context: BaseRpcContext): Promise<void> {
    // A type of event is its own route; getHandlerByPattern would first try to read it as JSON, and throw each time.
    const handler = this.messageHandlers.get(pattern);
    if (handler === undefined) throw new PermanentEventError(`Nobody handles ${pattern}`);
    await new Promise<void>((resolve, reject) => {
      this.runWithProcessingHooks(context, async (runEndHook) => {
        try {
          const result: unknown = await handler(packet.data, context);
          if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
          resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error('A handler threw something that is not an Error'));
        } finally {
          runEndHook();
        }
      });
    });
  }
}

function topicsOf(group: string, catalogue: EventCatalogue): string[] {
  const consumed = Object.entries(catalogue.topics).filter(([, topic]) => topic.consumers.includes(group));
  return consumed.map(([name]) => name);
}

/** Refuses to boot where code and catalogue disagree: each line is an event that would be lost, or a handler never called. */
function checkHandlers(
  group: string,
  handlers: ReadonlyMap<string, { readonly next?: unknown }>,
  topics: readonly string[],
  catalogue: EventCatalogue,
): void {
  const faults: string[] = [];
  for (const [name, event] of Object.entries(catalogue.events)) {
    if (!catalogue.topics[event.topic]?.owner)
      faults.push(`event ${name} is on topic ${event.topic}, which has no owner`);
    if (topics.includes(event.topic) && !handlers.has(name))
      faults.push(`event ${name} of ${event.topic} has no handler`);
  }
  for (const [name, handler] of handlers) {
    const event = Object.hasOwn(catalogue.events, name) ? catalogue.events[name] : undefined;
    if (event === undefined) faults.push(`a handler names the unknown event ${name}`);
    else if (!topics.includes(event.topic))
      faults.push(`a handler names ${name}, but ${event.topic} does not list ${group} as a consumer`);
    // One inbox mark per event and group: of two handlers the second would find it and do nothing.
    if (handler.next !== undefined) faults.push(`event ${name} has two handlers`);
  }
  if (faults.length > 0) throw new Error(`Events of ${group}: ${faults.join('; ')}`);
}
