import { Controller } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { DisableEndpoint } from './disable-endpoint.js';

/** Topic notifier.endpoint.events.v1. */
@Controller()
export class EndpointConsumer {
  constructor(private readonly endpoints: DisableEndpoint) {}

  @OnEvent('endpoint.disabled')
  onDisabled(@Ctx() context: EventContext<'endpoint.disabled'>): Promise<void> {
    return this.endpoints.run(context.envelope);
  }
}
