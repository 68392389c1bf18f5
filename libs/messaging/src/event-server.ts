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

import type { EventAuthors } from './authors/event-authors.js';
import type { DeadLetters } from './dead-letters/dead-letters.js';
import { EVENT_CATALOGUE, type EventCatalogue } from './envelope.js';
import { PermanentEventError } from './delivery/subscription.js';
import type { EventBus } from './event-bus.js';

export class EventContext<T extends EventType = EventType> extends BaseRpcContext<[Envelope<T>]> {
  public get envelope(): Envelope<T> {
    return this.args[0];
  }
}

/** Nest would replace a handler's error with "Internal server error". */
@Catch()
class HandlerErrorFilter implements ExceptionFilter {
  public catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * `@OnEvent('transaction.complete') on(@Payload() data, @Ctx() context: EventContext)`. May be called again: use
 * onceByInbox.
 */
export function OnEvent(type: EventType): MethodDecorator {
  return applyDecorators(EventPattern<string>(type), UseFilters(new HandlerErrorFilter()));
}

export interface EventServerOptions {
  /** As in TOPICS.consumers. */
  readonly group: string;
  readonly eventBus: Pick<EventBus, 'subscribe'>;
  /** `new DeadLetterStore(db)` in the consumer's database. */
  readonly deadLetters: DeadLetters;
  readonly concurrency?: number;
  /** Absent: who wrote an event is not checked. */
  readonly authors?: EventAuthors;
  readonly catalogue?: EventCatalogue;
}

/**
 * For `app.connectMicroservice({ strategy: new EventServer(...) })`. listen() fails if handlers and catalogue differ.
 */
export class EventServer extends Server implements CustomTransportStrategy {
  // The event bus logs failures, so Nest must not.
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
      const { group, eventBus, deadLetters, concurrency, authors } = this.options;
      const topics = topicsOf(group, this.catalogue);
      checkHandlers(group, this.messageHandlers, topics, this.catalogue);
      this.unsubscribe = eventBus.subscribe({
        group,
        topics,
        deadLetters,
        ...(concurrency === undefined ? {} : { concurrency }),
        ...(authors && { authors }),
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

  /** Rejects with the handler's own error. */
  public override async handleEvent(pattern: string, packet: ReadPacket, context: BaseRpcContext): Promise<void> {
    // getHandlerByPattern would first parse the type as JSON and throw each time.
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

/** Each fault is a lost event or a handler never called. */
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
    // They share one inbox mark, so the second would do nothing.
    if (handler.next !== undefined) faults.push(`event ${name} has two handlers`);
  }
  if (faults.length > 0) throw new Error(`Events of ${group}: ${faults.join('; ')}`);
}
