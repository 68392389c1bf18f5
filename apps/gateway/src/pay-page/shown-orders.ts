import { Inject, Injectable } from '@nestjs/common';
import { checkoutApi, type CallContext, type InternalClient, type OrderView } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import type { Logger, MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import { POLICY_NAMES, RateLimits } from '../limits/index.js';

export interface Viewer {
  /** undefined: gone. */
  readonly address: string | undefined;
  readonly context: CallContext;
}

const TOKEN = /^[A-Za-z0-9_-]{20,64}$/;

/** Many viewers of an order share one call within this time. */
const FRESH_MS = 1_000;
export const MOST_KNOWN = 10_000;

const NO_SUCH_ORDER: Problem = { code: 'not_found', message: 'There is no such order' };
const AWAY = 'The state of this order cannot be told at the moment. Try again in a few seconds';

interface Known {
  readonly order: OrderView;
  readonly atMs: number;
}

/**
 * Orders by page token. A token that has opened is no longer counted, so its payer is never refused and costs at most
 * one internal call a second. Other tokens count for their address before the lookup.
 */
@Injectable()
export class ShownOrders {
  private readonly known = new Map<string, Known>();
  private readonly asked = new Map<string, Promise<Result<OrderView>>>();

  constructor(
    @Inject(clientOf(checkoutApi)) private readonly checkout: Pick<InternalClient<typeof checkoutApi>, 'orderByToken'>,
    @Inject(RateLimits) private readonly limits: Pick<RateLimits, 'countPageLook'>,
    @Inject(CLOCK) private readonly clock: MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Errors: not_found (also malformed), rate_limited, service_unavailable. */
  async look(token: string, viewer: Viewer): Promise<Result<OrderView>> {
    if (!TOKEN.test(token)) return fail(NO_SUCH_ORDER);
    const known = this.known.get(token);
    if (known === undefined) return (await this.refusal(viewer)) ?? (await this.ask(token, viewer));
    return this.clock.monotonicMs() - known.atMs < FRESH_MS ? ok(known.order) : this.ask(token, viewer);
  }

  private async refusal({ address }: Viewer): Promise<Result<never> | null> {
    const counted = await this.limits.countPageLook(address);
    if (counted === null || counted.taken.allowed) return null;
    const { policy, taken } = counted;
    return fail({
      code: 'rate_limited',
      message: `Too many requests for payment pages from this address. Try again in ${String(taken.retryAfterS)} s`,
      retryAfterS: taken.retryAfterS,
      limit: { name: POLICY_NAMES.payPage, ratePerS: policy.ratePerS, burst: policy.burst },
    });
  }

  /** Viewers share one call per token. */
  private ask(token: string, { context }: Viewer): Promise<Result<OrderView>> {
    let asked = this.asked.get(token);
    if (asked === undefined) {
      asked = this.learn(token, context).finally(() => this.asked.delete(token));
      this.asked.set(token, asked);
    }
    return asked;
  }

  private async learn(token: string, context: CallContext): Promise<Result<OrderView>> {
    const { checkout, clock, log } = this;
    const found = await read(log, () => checkout.orderByToken({ page_token: token }, context), AWAY);
    if (!found.ok) return found.error.code === 'not_found' ? fail(NO_SUCH_ORDER) : found;
    this.remember(token, found.value, clock.monotonicMs());
    return found;
  }

  private remember(token: string, order: OrderView, atMs: number): void {
    this.known.delete(token);
    const [oldest] = this.known.keys();
    if (oldest !== undefined && this.known.size >= MOST_KNOWN) this.known.delete(oldest);
    this.known.set(token, { order, atMs });
  }
}
