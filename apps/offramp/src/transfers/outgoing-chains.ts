import type { OutgoingTransfers, TransferOrder } from '@vuka/chains';
import { assetSymbol, tokenIdentity, type Chain } from '@vuka/domain';

import { type RefundInHand, SHORT, type TransferStore } from '../refunds/index.js';

/** Opens what sends on a chain; a script in tests. */
export type OpenOutgoing = (chain: string) => Promise<OutgoingTransfers>;

/** What sends on the chains that are served, each opened when a refund first needs it: most start-ups see none. */
export class OutgoingChains {
  private readonly opened = new Map<string, Promise<OutgoingTransfers>>();

  public constructor(
    private readonly served: ReadonlySet<string>,
    private readonly open: OpenOutgoing,
  ) {}

  public get names(): readonly string[] {
    return [...this.served];
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

  public async close(): Promise<void> {
    for (const one of await Promise.allSettled(this.opened.values()))
      if (one.status === 'fulfilled') await one.value.close();
  }
}

/** What a chain is asked to send for a refund. */
export async function orderOf(
  transfers: Pick<TransferStore, 'reserved'>,
  refund: RefundInHand,
  chain: Chain,
  { from, to }: Pick<TransferOrder, 'from' | 'to'>,
): Promise<TransferOrder> {
  const listed = chain.tokens.find(({ symbol }) => symbol === assetSymbol(refund.amount.currency));
  if (listed === undefined || listed.decimals !== refund.decimals)
    throw new Error(`${refund.amount.currency} with ${String(refund.decimals)} decimals is no token of ${chain.name}`);
  const token = tokenIdentity(chain, listed);
  const reserved = await transfers.reserved(refund.refundId, chain.name, from, token);
  return {
    reference: `refund-${String(refund.refundId)}`,
    token,
    from,
    to,
    amountMinor: refund.amount.minor,
    reserved,
  };
}

/** For people: what the wallet is short of. */
export const shortOf = (of: 'token' | 'fee'): string =>
  of === 'token' ? `${SHORT}: too few tokens` : `${SHORT}: too little for the fee`;
