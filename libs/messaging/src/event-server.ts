import type { Envelope, EventType } from '@vuka/contracts';
import { BaseRpcContext, EventPattern, Server, type CustomTransportStrategy } from '@nestjs/microservices';

import type { DeadLetterSink } from './dead-letters.js';
import type { EventCatalogue } from './envelope.js';
import type { Wire } from './wire.js';

/** Second argument of a handler (`@Ctx()`): the envelope around the data. */
export class EventContext<T extends EventType = EventType> extends BaseRpcContext<[Envelope<T>]> {
  public get envelope(): Envelope<T> {
    return this.args[0];
  }
}

/** Marks the handler of an event: `@OnEvent('transaction.complete') on(@Payload() data, @Ctx() context: EventContext)`. */
export function OnEvent(type: EventType): MethodDecorator {
  return EventPattern<string>(type);
}

export interface EventServerOptions {
  /** The consuming service's name, as in TOPICS.consumers. */
  readonly group: string;
  readonly wire: Wire;
  readonly deadLetters: DeadLetterSink;
  readonly concurrency?: number;
  readonly catalogue?: EventCatalogue;
}

/** Nest's transport for events: `connectMicroservice({ strategy: new EventServer(...) })`. */
export class EventServer extends Server implements CustomTransportStrategy {
  public constructor(options: EventServerOptions) {
    super();
    void options;
  }

  public listen(callback: (error?: unknown) => void): void {
    callback(new Error('not implemented'));
  }

  public async close(): Promise<void> {}

  public override on(): never {
    throw new Error('EventServer has no events of its own');
  }

  public override unwrap<T>(): T {
    throw new Error('not implemented');
  }
}
