import { Controller, Inject } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { RecordRefund } from './record-refund.js';

/** offramp.refund.events.v1 */
@Controller()
export class RefundConsumer {
  public constructor(@Inject(RecordRefund) private readonly refunds: RecordRefund) {}

  @OnEvent('refund.signed')
  public onSigned(@Ctx() context: EventContext<'refund.signed'>): Promise<void> {
    return this.refunds.run(context.envelope);
  }

  @OnEvent('refund.broadcast')
  public onBroadcast(@Ctx() context: EventContext<'refund.broadcast'>): Promise<void> {
    return this.refunds.run(context.envelope);
  }

  @OnEvent('refund.confirmed')
  public onConfirmed(@Ctx() context: EventContext<'refund.confirmed'>): Promise<void> {
    return this.refunds.run(context.envelope);
  }

  @OnEvent('refund.failed')
  public onFailed(@Ctx() context: EventContext<'refund.failed'>): Promise<void> {
    return this.refunds.run(context.envelope);
  }
}
