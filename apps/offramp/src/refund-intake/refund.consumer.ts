import { Controller } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { RefundHold } from './refund-hold.js';
import { TakeRefund } from './take-refund.js';

@Controller()
export class RefundConsumer {
  public constructor(
    private readonly takeRefund: TakeRefund,
    private readonly hold: RefundHold,
  ) {}

  @OnEvent('refund.held')
  public onHeld(@Ctx() context: EventContext<'refund.held'>): Promise<void> {
    return this.takeRefund.run(context.envelope);
  }

  @OnEvent('refund.granted')
  public onGranted(@Ctx() context: EventContext<'refund.granted'>): Promise<void> {
    return this.hold.granted(context.envelope);
  }

  @OnEvent('refund.withdrawn')
  public onWithdrawn(@Ctx() context: EventContext<'refund.withdrawn'>): Promise<void> {
    return this.hold.withdrawn(context.envelope);
  }
}
