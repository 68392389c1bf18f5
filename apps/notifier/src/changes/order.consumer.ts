import { Controller } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { RecordPublicChange } from './record-public-change.js';

/** Topic checkout.order.events.v1. */
@Controller()
export class OrderConsumer {
  public constructor(private readonly recordChange: RecordPublicChange) {}

  @OnEvent('order.processing')
  public onProcessing(@Ctx() context: EventContext<'order.processing'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }

  @OnEvent('order.complete')
  public onComplete(@Ctx() context: EventContext<'order.complete'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }

  @OnEvent('order.failed')
  public onFailed(@Ctx() context: EventContext<'order.failed'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }
}
