import { Inject, Injectable } from '@nestjs/common';
import {
  acceptedTokens,
  assetOnChain,
  chainNamed,
  CHAINS,
  fail,
  formatDecimal,
  ok,
  sameAddress,
  tokenAt,
  type Chain,
  type Result,
} from '@vuka/domain';
import { type AuditEntry, Database, recordAuditEntry } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import {
  IncomingTransferStore,
  UNCLAIMED_AFTER_MS,
  type UnclaimedIncomingTransfer,
} from '../incoming-transfers/index.js';
import { type SwitchHistory, SwitchStore } from '../switches/index.js';

export interface SwitchView {
  readonly chain: string;
  /** null: the whole chain. */
  readonly asset: string | null;
  readonly reason: string;
  readonly off_since: string;
  readonly off_by: string;
  /** null: it is off now. */
  readonly lifted_at: string | null;
  readonly lifted_by: string | null;
  readonly lifted_why: string | null;
}

export interface UnclaimedView {
  /** null: it names no partner. */
  readonly partner_id: number | null;
  readonly chain: string;
  readonly transaction_hash: string;
  readonly address: string;
  /** In whole tokens; in minor units if the token is not listed. */
  readonly amount: string;
  /** The symbol, or the chain's identity of an unlisted token. */
  readonly token: string;
  readonly why: string;
  readonly sender: string;
  readonly block_time: string;
  readonly seen_at: string;
}

export interface SwitchWish {
  readonly chain: string;
  readonly asset: string | null;
  readonly reason: string;
  readonly by: string;
}

const MOST_HISTORY = 50;

@Injectable()
export class ChainAdmin {
  private readonly store: SwitchStore;
  private readonly incomingTransfers: IncomingTransferStore;

  constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.store = new SwitchStore(db);
    this.incomingTransfers = new IncomingTransferStore(db);
  }

  async switches(): Promise<{ off: SwitchView[]; before: SwitchView[] }> {
    const [off, history] = await Promise.all([this.store.inForce(), this.store.history(MOST_HISTORY)]);
    const over = history.filter(({ liftedAt }) => liftedAt !== null);
    return {
      off: off.map((one) => viewOf({ ...one, liftedAt: null, liftedBy: null, liftedWhy: null })),
      before: over.map(viewOf),
    };
  }

  /** Errors: not_found (chain or token), invalid_request (it is off already). */
  async switchOff(wish: SwitchWish): Promise<Result<SwitchView>> {
    const what = named(wish);
    if (!what.ok) return what;
    const at = this.clock.now();
    const made = await this.db.inTransaction(async (tx) => {
      const off = await new SwitchStore(tx).switchOff({
        ...what.value,
        reason: wish.reason,
        offBy: wish.by,
        offSince: at,
      });
      if (off !== undefined) await recordAuditEntry(tx, actOf('chain.switched_off', what.value, wish, at));
      return off;
    });
    return made === undefined
      ? fail({ code: 'invalid_request', message: `${assetOnChain(what.value)} is switched off already` })
      : ok(viewOf(made));
  }

  /** Errors: as switchOff, where it is not off. */
  async switchOn(wish: SwitchWish): Promise<Result<SwitchView>> {
    const what = named(wish);
    if (!what.ok) return what;
    const at = this.clock.now();
    const lifted = await this.db.inTransaction(async (tx) => {
      const on = await new SwitchStore(tx).switchOn(what.value, { by: wish.by, why: wish.reason, at });
      if (on !== undefined) await recordAuditEntry(tx, actOf('chain.switched_on', what.value, wish, at));
      return on;
    });
    return lifted === undefined
      ? fail({ code: 'invalid_request', message: `${assetOnChain(what.value)} is not switched off` })
      : ok(viewOf(lifted));
  }

  /** Oldest first. `minutes` null: the default age. `dust`: includes amounts below a cent. */
  async unclaimed(
    { minutes, dust }: { readonly minutes: number | null; readonly dust: boolean },
    limit: number,
  ): Promise<UnclaimedView[]> {
    const forMs = minutes === null ? UNCLAIMED_AFTER_MS : minutes * 60_000;
    const found = await this.incomingTransfers.unclaimed(new Date(this.clock.now().getTime() - forMs), limit, { dust });
    return found.map(unclaimedView);
  }
}

function actOf(
  act: string,
  what: Pick<SwitchView, 'chain' | 'asset'>,
  { by, reason }: SwitchWish,
  at: Date,
): AuditEntry {
  return { by, act, partnerId: null, subject: assetOnChain(what), reason: maskText(reason), at };
}

function named({ chain: text, asset: symbol }: SwitchWish): Result<{ chain: string; asset: string | null }> {
  const chain = chainNamed(text.toUpperCase());
  if (chain === undefined)
    return fail({
      code: 'not_found',
      message: `There is no chain "${text}": it is one of ${CHAINS.map(({ name }) => name).join(', ')}`,
    });
  if (symbol === null) return ok({ chain: chain.name, asset: null });
  const symbols = acceptedTokens(chain).map((token) => token.symbol);
  const asset = symbols.find((one) => one.toUpperCase() === symbol.toUpperCase());
  if (asset === undefined)
    return fail({
      code: 'not_found',
      message: `${chain.name} accepts no token "${symbol}": it must be one of ${symbols.join(', ')}`,
    });
  return ok({ chain: chain.name, asset });
}

function viewOf({
  chain,
  asset,
  reason,
  offSince,
  offBy,
  liftedAt,
  liftedBy,
  liftedWhy,
}: Omit<SwitchHistory, 'id'>): SwitchView {
  return {
    chain,
    asset,
    reason,
    off_since: offSince.toISOString(),
    off_by: offBy,
    lifted_at: liftedAt?.toISOString() ?? null,
    lifted_by: liftedBy,
    lifted_why: liftedWhy,
  };
}

function unclaimedView(incomingTransfer: UnclaimedIncomingTransfer): UnclaimedView {
  const chain = chainNamed(incomingTransfer.chain);
  const token = chain && tokenAt(chain, incomingTransfer.token);
  return {
    partner_id: incomingTransfer.partnerId,
    chain: incomingTransfer.chain,
    transaction_hash: incomingTransfer.transactionHash,
    address: incomingTransfer.address,
    amount:
      token === undefined
        ? incomingTransfer.amountMinor
        : formatDecimal(BigInt(incomingTransfer.amountMinor), token.decimals),
    token: token?.symbol ?? incomingTransfer.token,
    why: whyOf(incomingTransfer, chain),
    sender: incomingTransfer.sender,
    block_time: incomingTransfer.blockTime.toISOString(),
    seen_at: incomingTransfer.seenAt.toISOString(),
  };
}

function whyOf({ partnerId, token }: UnclaimedIncomingTransfer, chain: Chain | undefined): string {
  if (chain === undefined) return 'a chain that is not known here';
  const listed = tokenAt(chain, token);
  const lookalike = chain.lookalikes.find(({ address }) => sameAddress(chain.family, address, token));
  if (lookalike !== undefined) return `looks like ${lookalike.symbol}: ${lookalike.why}`;
  if (listed === undefined) return 'a token that is not listed';
  if (!acceptedTokens(chain).includes(listed)) return 'a token that is not accepted';
  return partnerId === null ? 'names no partner' : 'no pay has claimed it, or its pay was refused';
}
