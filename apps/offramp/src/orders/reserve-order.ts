import { setTimeout as pauseFor } from 'node:timers/promises';

import { decodeAmount, type CallContext, type offrampApi, type OrderReservation } from '@vuka/contracts';
import {
  assetSymbol,
  encodeMinor,
  isSame,
  tokenUnit,
  acceptedTokens,
  assetAmountDue,
  centsDue,
  chainNamed,
  fail,
  ok,
  type Chain,
  type Result,
  type Token,
} from '@vuka/domain';
import type { Clock } from '@vuka/runtime';
import type { z } from 'zod';

import { type DepositAddresses, settlementOf } from '../addresses/index.js';
import type { ScanStore } from '../arrivals/index.js';
import type { Rates } from '../rates/index.js';
import type { Switches } from '../switches/index.js';
import { OrderWatchStore, type OrderDatabase, type OrderWatch } from './order-watch.store.js';

export type ReserveInput = z.output<typeof offrampApi.operations.reserveOrder.input>;

/** So long after its end an order's address is looked at with every page. */
const WATCHED_AFTER_MS = 24 * 3_600_000;

/** How often it is asked whether the order's chain is looked through. A Vuka that has just started begins with it within a second or two. */
const POLL_MS = 100;
const MOST_POLLS = 10;
/** So much of a call's time is left to reserve in. */
const RESERVE_MS = 500;

export interface ReserveOrderParts {
  readonly db: OrderDatabase;
  readonly rates: Pick<Rates, 'buyingRate'>;
  readonly addresses: Pick<DepositAddresses, 'drawForOrder' | 'ofOrder'>;
  readonly switches: Pick<Switches, 'isOff'>;
  readonly scans: Pick<ScanStore, 'hasBegun'>;
  /** Names of the chains that are read here. */
  readonly served: ReadonlySet<string>;
  readonly clock: Clock;
  readonly pause?: (ms: number) => Promise<unknown>;
}

type Context = Pick<CallContext, 'requestId' | 'traceparent' | 'deadline'>;

/**
 * Gives an order an address of its own, freezes its rate and begins to watch for it, in one commit; the same order again gets the same answer, whatever
 * rates and switches say by then. Errors: unsupported_network, rate_stale, rate_limited, service_unavailable (libs/contracts offrampApi.reserveOrder).
 */
export class ReserveOrder {
  private readonly watches: OrderWatchStore;

  public constructor(private readonly parts: ReserveOrderParts) {
    this.watches = new OrderWatchStore(parts.db);
  }

  public async run(input: ReserveInput, context: Context): Promise<Result<OrderReservation>> {
    const chain = chainNamed(input.chain);
    const token = chain && acceptedTokens(chain).find(({ symbol }) => symbol === input.asset);
    if (chain === undefined || token === undefined) {
      return fail({ code: 'unsupported_network', message: `asset ${input.asset} is not accepted on ${input.chain}` });
    }
    const before = await this.watches.find(input.order_number);
    if (before !== undefined) return this.answer(before, input, token);
    const reserved = await this.reserve(input, chain, token, context);
    return reserved.ok ? this.answer(reserved.value, input, token) : reserved;
  }

  private async reserve(
    input: ReserveInput,
    chain: Chain,
    token: Token,
    { requestId, traceparent, deadline }: Context,
  ): Promise<Result<OrderWatch>> {
    const { db, rates, addresses, switches, served, clock } = this.parts;
    if (!served.has(chain.name) || (await switches.isOff(chain.name, token.symbol))) {
      return fail({
        code: 'service_unavailable',
        message: `${token.symbol} is not taken on ${chain.name} at the moment`,
      });
    }
    if (!(await this.isLookedThrough(chain, deadline))) {
      return fail({
        code: 'service_unavailable',
        message: `${chain.name} is not looked through yet. Send it again`,
        retryAfterS: 1,
      });
    }
    const rate = rates.buyingRate(input.currency, token.symbol);
    if (!rate.ok) return rate;
    const amount = decodeAmount(input);
    if (centsDue(amount, rate.value) > BigInt(input.most_usd_cents))
      return fail({ code: 'rate_limited', message: 'The order is worth more than it may be' });
    return db.inTransaction<Result<OrderWatch>>(
      async (tx) => {
        await OrderWatchStore.lockToReserve(tx, input.order_number);
        const meanwhile = await new OrderWatchStore(tx).find(input.order_number);
        if (meanwhile !== undefined) return ok(meanwhile);
        const address = await addresses.drawForOrder(tx, input.partner_id, chain.family);
        if (!address.ok) return address;
        const createdAt = clock.now();
        const expiresAt = new Date(createdAt.getTime() + input.lives_s * 1_000);
        const watch = {
        orderNumber: input.order_number, partnerId: input.partner_id, chain: chain.name, amount, rate: rate.value,
        due: assetAmountDue(amount, rate.value, tokenUnit(chain, token)), family: chain.family, address: address.value, createdAt, expiresAt,
      }; // prettier-ignore
        await OrderWatchStore.insert(tx, {
          ...watch,
          watchUntil: new Date(expiresAt.getTime() + WATCHED_AFTER_MS),
          correlationId: requestId,
          causationId: traceparent,
        });
        return ok(watch);
      },
      { retries: 2 },
    );
  }

  /** A scan begins at the head of its chain: what was paid before that, nobody would find. It is waited for, a second at most. */
  private async isLookedThrough({ name }: Chain, deadline: number): Promise<boolean> {
    const { scans, clock, pause = pauseFor } = this.parts;
    for (let polls = 0; ; polls += 1) {
      if (await scans.hasBegun(name)) return true;
      if (polls === MOST_POLLS || clock.now().getTime() + POLL_MS + RESERVE_MS > deadline) return false;
      await pause(POLL_MS);
    }
  }

  /** The address is derived again: whoever could write the table must not be able to lead deposits elsewhere. */
  private async answer(watch: OrderWatch, input: ReserveInput, { decimals }: Token): Promise<Result<OrderReservation>> {
    const isSameOrder =
      watch.partnerId === input.partner_id &&
      watch.chain === input.chain &&
      assetSymbol(watch.due.currency) === input.asset &&
      isSame(watch.amount, decodeAmount(input));
    if (!isSameOrder) throw new Error(`order ${input.order_number} was reserved for something else`);
    const given = await this.parts.addresses.ofOrder(watch.orderNumber, watch.family);
    if (!given.ok) return given;
    const { address, memoAddress, memo } = settlementOf(given.value.address);
    return ok({
      address,
      memo_address: memoAddress,
      memo,
      rate: watch.rate,
      due_minor: encodeMinor(watch.due),
      usd_cents: centsDue(watch.amount, watch.rate).toString(),
      decimals,
      created_at: watch.createdAt.toISOString(),
      expires_at: watch.expiresAt.toISOString(),
    });
  }
}
