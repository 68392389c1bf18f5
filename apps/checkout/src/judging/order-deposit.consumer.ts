import { Controller } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { JudgeOrders } from './judge-orders.js';

@Controller()
export class OrderDepositConsumer {
  public constructor(private readonly judge: JudgeOrders) {}

  @OnEvent('order-deposit.seen')
  public onSeen(@Ctx() context: EventContext<'order-deposit.seen'>): Promise<void> {
    return this.judge.take(context.envelope);
  }

  @OnEvent('order-deposit.confirmed')
  public onConfirmed(@Ctx() context: EventContext<'order-deposit.confirmed'>): Promise<void> {
    return this.judge.take(context.envelope);
  }

  @OnEvent('order-deposit.gone')
  public onGone(@Ctx() context: EventContext<'order-deposit.gone'>): Promise<void> {
    return this.judge.take(context.envelope);
  }

  @OnEvent('order-deposit.reverted')
  public onReverted(@Ctx() context: EventContext<'order-deposit.reverted'>): Promise<void> {
    return this.judge.take(context.envelope);
  }

  @OnEvent('order-watch.passed')
  public onPassed(@Ctx() context: EventContext<'order-watch.passed'>): Promise<void> {
    return this.judge.take(context.envelope);
  }
}
