import 'reflect-metadata';

import { Controller, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, Payload } from '@nestjs/microservices';
import { describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { Observable, of, throwError } from 'rxjs';
import { z } from 'zod';

import { noDeadLetters } from './dead-letters/dead-letters.spec-support.js';
import type { EventCatalogue } from './envelope.js';
import { EventContext, EventServer, OnEvent } from './event-server.js';
import { PermanentEventError, type Subscription } from './delivery/subscription.js';
import type { EventBus } from './event-bus.js';

const catalogue: EventCatalogue = {
  events: {
    'thing.made': { topic: 'things', version: 1, data: z.object({ n: z.int() }) },
    'thing.sold': { topic: 'things', version: 1, data: z.object({ n: z.int() }) },
    'other.done': { topic: 'others', version: 1, data: z.object({}) },
  },
  topics: { things: { owner: 'maker', consumers: ['taker'] }, others: { owner: 'maker', consumers: ['somebody'] } },
};
const on = (type: string): MethodDecorator => OnEvent(type as never);

class RecordingEventBus implements Pick<EventBus, 'subscribe' | 'start' | 'stop'> {
  public subscription: Subscription | undefined;
  public isEnded = false;

  public subscribe(subscription: Subscription): () => Promise<void> {
    this.subscription = subscription;
    return () => {
      this.isEnded = true;
      return Promise.resolve();
    };
  }

  public start(): Promise<void> {
    return Promise.resolve();
  }

  public stop(): Promise<void> {
    return Promise.resolve();
  }
}

async function boot(
  controller: Type,
  over: Partial<{ catalogue: EventCatalogue }> = {},
): Promise<{ eventBus: RecordingEventBus; close: () => Promise<void> }> {
  @Module({ controllers: [controller] })
  class TakerModule {}
  const eventBus = new RecordingEventBus();
  const app = await NestFactory.createMicroservice(TakerModule, {
    strategy: new EventServer({ group: 'taker', eventBus, deadLetters: noDeadLetters(), catalogue, ...over }),
    logger: false,
  });
  await app.listen();
  return { eventBus, close: () => app.close() };
}

function envelope(type: string, data: object): Envelope {
  return { id: 'e1', type, version: 1, key: 'k', sequence: 1, data } as unknown as Envelope;
}

const seen: unknown[] = [];

@Controller()
class Taker {
  @on('thing.made')
  public async made(@Payload() data: { n: number }, @Ctx() context: EventContext): Promise<void> {
    await Promise.resolve();
    seen.push([data, context.envelope.id]);
    if (data.n === 13) throw new PermanentEventError('thirteen');
    if (data.n === 14) throw new TypeError('fourteen');
  }

  @on('thing.sold')
  public sold(@Payload() data: { n: number }): Observable<number> {
    return data.n === 13 ? throwError(() => new PermanentEventError('thirteen')) : of(1, 2);
  }
}

describe('EventServer', () => {
  it('subscribes the group to the topics that list it, and ends with the application', async () => {
    const { eventBus, close } = await boot(Taker);
    expect(eventBus.subscription).toMatchObject({ group: 'taker', topics: ['things'] });
    await close();
    expect(eventBus.isEnded).toBe(true);
  });

  it('calls the handler with data and context', async () => {
    const { eventBus, close } = await boot(Taker);
    await eventBus.subscription!.handle(envelope('thing.made', { n: 1 }));
    expect(seen).toContainEqual([{ n: 1 }, 'e1']);
    await close();
  });

  it.each([
    ['a rejected handler', 'thing.made', 13, PermanentEventError],
    ['a bug in a handler', 'thing.made', 14, TypeError],
    ['a stream that errors', 'thing.sold', 13, PermanentEventError],
  ])('gives the event bus the own error of %s', async (_, type, n, kind) => {
    const { eventBus, close } = await boot(Taker);
    await expect(eventBus.subscription!.handle(envelope(type, { n }))).rejects.toBeInstanceOf(kind);
    await close();
  });

  it('waits for a stream, an empty one too', async () => {
    const { eventBus, close } = await boot(Taker);
    await expect(eventBus.subscription!.handle(envelope('thing.sold', { n: 1 }))).resolves.toBeUndefined();
    await close();
  });
});

@Controller()
class Half {
  @on('thing.made')
  public made(): void {}
}

@Controller()
class Strange extends Half {
  @on('thing.sold')
  public sold(): void {}

  @on('thing.lost')
  public lost(): void {}
}

@Controller()
class Greedy extends Half {
  @on('thing.sold')
  public sold(): void {}

  @on('other.done')
  public other(): void {}
}

@Controller()
class Twice extends Half {
  @on('thing.sold')
  public sold(): void {}

  @on('thing.sold')
  public soldAgain(): void {}
}

describe('boot fails where', () => {
  it.each([
    ['an event has no handler', Half, 'event thing.sold of things has no handler'],
    ['a handler names an unknown event', Strange, 'a handler names the unknown event thing.lost'],
    ['a handler names an event of a topic that is not consumed', Greedy, 'others does not list taker as a consumer'],
    ['an event has two handlers', Twice, 'event thing.sold has two handlers'],
  ])('%s', async (_, controller, message) => {
    await expect(boot(controller)).rejects.toThrow(message);
  });

  it('a topic has no owner', async () => {
    const ownerless = {
      ...catalogue,
      topics: { things: { owner: '', consumers: ['taker'] }, others: catalogue.topics['others']! },
    };
    await expect(boot(Taker, { catalogue: ownerless })).rejects.toThrow('topic things, which has no owner');
  });
});
