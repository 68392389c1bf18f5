import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  MOST_BALANCE_ADDRESSES,
  openBalances,
  openOutgoing,
  SANDBOX_WALLET_TOKENS,
  scannedHeight,
  type ChainBalances,
  type Holdings,
  type OutgoingTransfers,
} from '@vuka/chains';
import type { Settings } from '@vuka/config';
import { acceptedTokens, chainNamed, tokenAsset, type Chain } from '@vuka/domain';
import { Database, type Transaction } from '@vuka/persistence';
import { BootError, type Clock, type Logger, Metrics, type MonotonicClock } from '@vuka/runtime';

import { CLOCK, LOGGER, SETTINGS } from '@vuka/service-host';

import {
  accountOf,
  loadOwnWallets,
  loadRefundWallets,
  type OwnWallets,
  type RefundWallets,
} from '../addresses/index.js';
import { HoldingFacts, MOST_SIGNED, type MovementView, type SignedVersion } from './holding-facts.js';

/** At one height. Minor units. */
export interface HoldingView {
  readonly chain: string;
  readonly asset: string;
  readonly decimals: number;
  readonly height: number;
  readonly addresses: number;
  readonly held_minor: bigint;
  /** Received without a deposit. */
  readonly unrecorded_minor: bigint;
  /** null: people fund it. */
  readonly endowment_minor: bigint | null;
  /** null: nothing was recorded. */
  readonly funded_minor: bigint | null;
}

export interface HoldingsView {
  readonly holdings: readonly HoldingView[];
  readonly deposits: readonly MovementView[];
  readonly refunds: readonly MovementView[];
  /** `is_away`: served here, but not read. */
  readonly not_read: readonly { readonly chain: string; readonly why: string; readonly is_away: boolean }[];
}

export type OpenForHoldings = (
  chain: Chain,
) => Promise<{ readonly balances: ChainBalances; readonly outgoing: OutgoingTransfers }>;

/** OpenForHoldings, for tests. */
export const OPEN_FOR_HOLDINGS = Symbol('OPEN_FOR_HOLDINGS');

type OfOne = Omit<HoldingsView, 'not_read'> | { readonly why: string };

interface Ours {
  readonly wallets: RefundWallets;
  readonly own: OwnWallets;
}

const READ_MS = 20_000;
const SCANNED_WITHIN_MS = 10_000;
const POLL_MS = 250;
const NOTHING_READ = 'no endpoint of the chain is configured here';

@Injectable()
export class ChainHoldings {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'env' | 'chains'>,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
    @Optional() @Inject(OPEN_FOR_HOLDINGS) private readonly openGiven?: OpenForHoldings,
  ) {}

  public async read(): Promise<HoldingsView> {
    const { settings } = this;
    const wallets = await loadRefundWallets(settings.chains, settings.env);
    const served = Object.keys(settings.chains.endpoints).flatMap((name) => chainNamed(name) ?? []);
    const own = await this.ownWallets();
    if ('why' in own)
      return {
        holdings: [],
        deposits: [],
        refunds: [],
        not_read: served.map(({ name }) => ({ chain: name, why: own.why, is_away: true })),
      };
    const told = await Promise.all(
      served.map(async (chain) => ({ chain: chain.name, told: await this.ofChain(chain, { wallets, own }) })),
    );
    const all = told.flatMap(({ told: one }) => ('why' in one ? [] : [one]));
    const unserved = (await this.withValue()).filter((name) => !served.some((chain) => chain.name === name));
    return {
      holdings: all.flatMap(({ holdings }) => holdings),
      deposits: all.flatMap(({ deposits }) => deposits),
      refunds: all.flatMap(({ refunds }) => refunds),
      not_read: [
        ...told.flatMap(({ chain, told: one }) => ('why' in one ? [{ chain, why: one.why, is_away: true }] : [])),
        ...unserved.map((chain) => ({ chain, why: NOTHING_READ, is_away: false })),
      ],
    };
  }

  /** People edit the file while offramp runs. */
  private async ownWallets(): Promise<OwnWallets | { readonly why: string }> {
    const { env, chains } = this.settings;
    try {
      return await loadOwnWallets(env === 'live' ? chains.ownAddressesFile : undefined);
    } catch (error) {
      if (error instanceof BootError) return { why: error.message };
      throw error;
    }
  }

  private async withValue(): Promise<string[]> {
    const rows = await this.db.query<{ chain: string }>('select distinct chain from deposits order by chain');
    return rows.map(({ chain }) => chain);
  }

  private async ofChain(chain: Chain, ours: Ours): Promise<OfOne> {
    const { balances, outgoing } = await this.open(chain);
    try {
      return await this.holdingsOf(chain, { balances, outgoing }, ours);
    } finally {
      await Promise.all([balances.close(), outgoing.close()]);
    }
  }

  private async holdingsOf(
    chain: Chain,
    { balances, outgoing }: { balances: ChainBalances; outgoing: OutgoingTransfers },
    ours: Ours,
  ): Promise<OfOne> {
    const facts = new HoldingFacts(this.db, chain);
    const begun = await this.scanned(facts, chain);
    if (begun === null) return { why: 'its incoming transfers are not scanned at the moment' };
    const addresses = await this.addressesOf(chain, facts, ours);
    const held = await balances.sums(addresses, begun, this.until());
    if (held.kind === 'trouble') return { why: held.reason };
    if (!(await this.isScannedTo(held.to, facts, chain))) return { why: 'the newest transfers are not scanned yet' };
    const known = await this.snapshot((tx) => readFacts(new HoldingFacts(tx, chain), held));
    if ('why' in known) return known;
    const signed = await this.outOf(known.signed, held.to, chain.name, outgoing);
    if ('why' in signed) return signed;
    const endowment = this.settings.env === 'sandbox' && this.settings.chains.refundWallets[chain.family] === undefined;
    return {
      holdings: acceptedTokens(chain).map((token): HoldingView => ({
        chain: chain.name,
        asset: tokenAsset(chain, token),
        decimals: token.decimals,
        height: held.to,
        addresses: addresses.length,
        held_minor: held.minor.get(token.symbol) ?? 0n,
        unrecorded_minor: known.unrecorded.get(tokenAsset(chain, token)) ?? 0n,
        funded_minor: ours.own.funded.get(tokenAsset(chain, token)) ?? null,
        endowment_minor: endowment ? SANDBOX_WALLET_TOKENS * 10n ** BigInt(token.decimals) : null,
      })),
      deposits: known.deposits,
      refunds: [...known.final, ...signed.refunds],
    };
  }

  /** Only those in blocks that were read. One version per refund can be included. */
  private async outOf(
    signed: readonly SignedVersion[],
    height: number,
    chain: string,
    outgoing: OutgoingTransfers,
  ): Promise<{ readonly refunds: readonly MovementView[] } | { readonly why: string }> {
    if (signed.length > MOST_SIGNED)
      return { why: `more than ${String(MOST_SIGNED)} transfers are signed and not final` };
    const refunds: MovementView[] = [];
    for (const { refundId: id, asset, amountMinor, unsigned, transactionId } of signed) {
      const fate = await outgoing.fate(unsigned, transactionId, this.until());
      if (fate.kind === 'trouble') return { why: `the outcome of refund ${String(id)} is not known: ${fate.reason}` };
      const isOut = (fate.kind === 'final' || fate.kind === 'included') && fate.block.number <= height;
      if (isOut) refunds.push({ id, chain, asset, amount_minor: amountMinor, on_chain: true });
    }
    return { refunds };
  }

  private async addressesOf(chain: Chain, facts: HoldingFacts, { wallets, own }: Ours): Promise<string[]> {
    const { stellarAccount } = this.settings.chains;
    const wallet = wallets.get(chain.family)?.address;
    const given = await facts.addresses(MOST_BALANCE_ADDRESSES + 1);
    const all = [
      ...given,
      ...(wallet === undefined ? [] : [wallet]),
      ...(chain.family === 'stellar' && stellarAccount !== null ? [stellarAccount] : []),
      ...[...own.addresses].filter((one) => isOf(chain, one)),
    ];
    if (chain.family === 'evm') return [...new Map(all.map((one) => [one.toLowerCase(), one])).values()];
    return [...new Set(all.map(accountOf))];
  }

  private async isScannedTo(height: number, facts: HoldingFacts, chain: Chain): Promise<boolean> {
    const { clock } = this;
    for (const giveUpAt = clock.now().getTime() + SCANNED_WITHIN_MS; ;) {
      if (((await this.scanned(facts, chain)) ?? -1) >= height) return true;
      if (clock.now().getTime() > giveUpAt) return false;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  private async scanned(facts: HoldingFacts, { family }: Chain): Promise<number | null> {
    const cursor = await facts.cursor(this.clock.now());
    return cursor === null ? null : scannedHeight(family, cursor);
  }

  private async open(chain: Chain): Promise<{ balances: ChainBalances; outgoing: OutgoingTransfers }> {
    const { settings, clock, log } = this;
    if (this.openGiven !== undefined) return this.openGiven(chain);
    const options = {
      chain,
      endpoints: settings.chains.endpoints[chain.name] ?? [],
      agree: settings.chains.agree,
      clock,
      log,
      metrics: new Metrics('offramp-admin'),
    };
    return { balances: await openBalances(options), outgoing: await openOutgoing(options) };
  }

  private snapshot<T>(read: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.db.inTransaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      return read(tx);
    });
  }

  private until(): number {
    return this.clock.now().getTime() + READ_MS;
  }
}

interface Known {
  readonly unrecorded: ReadonlyMap<string, bigint>;
  readonly deposits: readonly MovementView[];
  readonly final: readonly MovementView[];
  readonly signed: readonly SignedVersion[];
}

async function readFacts(
  facts: HoldingFacts,
  { from, to }: Extract<Holdings, { kind: 'holdings' }>,
): Promise<Known | { readonly why: string }> {
  if (from < to && (await facts.cameBetween(from, to))) return { why: 'a transfer arrived during the reading' };
  return {
    unrecorded: await facts.unrecorded(to),
    deposits: await facts.deposits(to),
    final: await facts.finalRefunds(),
    signed: await facts.signed(),
  };
}

function isOf({ family }: Chain, address: string): boolean {
  if (family === 'evm') return address.startsWith('0x');
  return (family === 'stellar') === /^G[A-Z2-7]{55}$/.test(address) && !address.startsWith('0x');
}
