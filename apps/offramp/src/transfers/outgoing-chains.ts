import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { openOutgoing, type OutgoingTransfers, type TransferOrder } from '@vuka/chains';
import type { Settings } from '@vuka/config';
import { assetSymbol, type Chain, chainNamed, tokenIdentity } from '@vuka/domain';

import type { Clock, Logger, Metrics, MonotonicClock } from '@vuka/runtime';

import { SERVED_CHAIN_NAMES } from '../chains/index.js';
import { type RefundInHand, SHORT, TransferStore } from '../refunds/index.js';

export type OpenOutgoing = (chain: string) => Promise<OutgoingTransfers>;

/** OpenOutgoing. */
export const OPEN_OUTGOING = Symbol('OPEN_OUTGOING');

export function outgoingOf(
  { endpoints, agree }: Settings['chains'],
  tools: { readonly log: Logger; readonly metrics: Metrics; readonly clock: Clock & MonotonicClock },
): OpenOutgoing {
  return (name) => {
    const chain = chainNamed(name);
    if (chain === undefined) throw new Error(`${name} is no chain`);
    return openOutgoing({ chain, endpoints: endpoints[name] ?? [], agree, ...tools });
  };
}

/** Opens a chain when a refund first needs it: most processes send nothing. */
@Injectable()
export class OutgoingChains implements OnApplicationShutdown {
  private readonly opened = new Map<string, Promise<OutgoingTransfers>>();
  private closed: Promise<void> | undefined;

  public constructor(
    @Inject(SERVED_CHAIN_NAMES) private readonly served: ReadonlySet<string>,
    @Inject(OPEN_OUTGOING) private readonly open: OpenOutgoing,
    @Inject(TransferStore) private readonly transfers: Pick<TransferStore, 'reserved'>,
  ) {}

  public onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  public of(chain: string): Promise<OutgoingTransfers> {
    const known = this.opened.get(chain);
    if (known !== undefined) return known;
    if (!this.served.has(chain)) throw new Error(`${chain} is not served`);
    const opening = this.open(chain);
    this.opened.set(chain, opening);
    opening.catch(() => this.opened.delete(chain));
    return opening;
  }

  public async orderFor(
    refund: RefundInHand,
    chain: Chain,
    { from, to }: Pick<TransferOrder, 'from' | 'to'>,
  ): Promise<TransferOrder> {
    const listed = chain.tokens.find(({ symbol }) => symbol === assetSymbol(refund.amount.currency));
    if (listed === undefined || listed.decimals !== refund.decimals)
      throw new Error(
        `${refund.amount.currency} with ${String(refund.decimals)} decimals is no token of ${chain.name}`,
      );
    const token = tokenIdentity(chain, listed);
    const reserved = await this.transfers.reserved(refund.refundId, chain.name, from, token);
    return {
      reference: `refund-${String(refund.refundId)}`,
      token,
      from,
      to,
      amountMinor: refund.amount.minor,
      reserved,
    };
  }

  /** May be called twice. */
  public close(): Promise<void> {
    return (this.closed ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    for (const one of await Promise.allSettled(this.opened.values()))
      if (one.status === 'fulfilled') await one.value.close();
  }
}

export const shortOf = (of: 'token' | 'fee'): string =>
  of === 'token' ? `${SHORT}: too few tokens` : `${SHORT}: too little for the fee`;
