import { Module, type DynamicModule, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { DeadLetterStore, type Wire } from '@vuka/messaging';
import { EventServer } from '@vuka/messaging/event-server';
import type { Database } from '@vuka/persistence';
import { type Clock, type Logger, nestLogger } from '@vuka/runtime';

import { CONSUMER_GROUP, DisableEndpoint } from './disable-endpoint.js';
import { EndpointConsumer } from './endpoint.consumer.js';

export interface GatewayEventsOptions {
  readonly db: Database;
  readonly wire: Pick<Wire, 'subscribe'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Each is a commit, and connections are for requests. */
const EVENTS_AT_ONCE = 1;

/** What the gateway hears of others, apart from what it is asked. */
@Module({})
export class EventsModule {
  static of({ db, wire, clock, log }: GatewayEventsOptions): DynamicModule {
    return {
      module: EventsModule,
      controllers: [EndpointConsumer],
      providers: [
        {
          provide: EventServer,
          useFactory: () =>
            new EventServer({
              group: CONSUMER_GROUP,
              wire,
              deadLetters: new DeadLetterStore(db),
              concurrency: EVENTS_AT_ONCE,
            }),
        },
        { provide: DisableEndpoint, useFactory: () => new DisableEndpoint(db, clock, log) },
      ],
    };
  }
}

/** Subscribes; deliveries begin when the wire starts, and end when this is closed. */
export async function listenToEvents(options: GatewayEventsOptions): Promise<Pick<INestMicroservice, 'close'>> {
  const transport: AsyncMicroserviceOptions = {
    inject: [EventServer],
    useFactory: (strategy: EventServer) => ({ strategy }),
  };
  const events = await NestFactory.createMicroservice(EventsModule.of(options), {
    ...transport,
    logger: nestLogger(options.log),
    abortOnError: false,
  });
  await events.listen();
  return events;
}
