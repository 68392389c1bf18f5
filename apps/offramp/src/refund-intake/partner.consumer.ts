import { Controller } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { RecordPartnerStatus } from './record-partner-status.js';

@Controller()
export class PartnerConsumer {
  public constructor(private readonly statuses: RecordPartnerStatus) {}

  @OnEvent('partner.suspended')
  public onSuspended(@Ctx() context: EventContext<'partner.suspended'>): Promise<void> {
    return this.statuses.run(context.envelope);
  }

  @OnEvent('partner.resumed')
  public onResumed(@Ctx() context: EventContext<'partner.resumed'>): Promise<void> {
    return this.statuses.run(context.envelope);
  }
}
