import { acceptedTokens, type Chain } from '@vuka/domain';

import type { OutgoingTrouble } from './outgoing.js';
import type { OutgoingQuorum, Told } from './outgoing-quorum.js';
import type { Endpoint } from './reader/endpoint.js';

/** Sums in token order, minor units. */
export interface HoldingsTold {
  readonly from: number;
  readonly to: number;
  readonly minor: readonly bigint[];
}

/** Minor units by token symbol. */
export type Holdings =
  | {
      readonly kind: 'holdings';
      readonly from: number;
      readonly to: number;
      readonly minor: ReadonlyMap<string, bigint>;
    }
  | OutgoingTrouble;

export interface ChainBalances {
  readonly chain: string;
  /**
   * `addresses`: Solana owners, Stellar G…. `at`: block of an EVM chain; others report newest state and its
   * heights. `until`: epoch ms. Outages and disagreement are `trouble`.
   */
  sums(addresses: readonly string[], at: number, until: number): Promise<Holdings>;
  close(): Promise<void>;
}

/** More would keep endpoints busy for minutes. */
export const MOST_BALANCE_ADDRESSES = 2_000;

export interface TellsHoldings extends Endpoint {
  holdings(addresses: readonly string[], at: number): Promise<HoldingsTold>;
}

/** Must match to the unit. */
export class AgreedBalances<E extends TellsHoldings> implements ChainBalances {
  constructor(
    private readonly facts: Chain,
    private readonly quorum: OutgoingQuorum<E>,
  ) {}

  get chain(): string {
    return this.facts.name;
  }

  sums(addresses: readonly string[], at: number, until: number): Promise<Holdings> {
    if (addresses.length > MOST_BALANCE_ADDRESSES)
      return Promise.resolve({
        kind: 'trouble',
        reason: `${String(addresses.length)} addresses, and ${String(MOST_BALANCE_ADDRESSES)} are read at most`,
      });
    return this.quorum.within<Holdings>(until, async () => {
      const told = await this.quorum.ask((endpoint) => endpoint.holdings(addresses, at));
      const agreed = agreedGroup(told, this.quorum.agree);
      if (agreed === undefined) return this.quorum.tooFew(told);
      const [{ minor }] = agreed;
      const bySymbol = new Map(acceptedTokens(this.facts).map(({ symbol }, index) => [symbol, minor[index] ?? 0n]));
      return {
        kind: 'holdings',
        from: Math.min(...agreed.map(({ from }) => from)),
        to: Math.max(...agreed.map(({ to }) => to)),
        minor: bySymbol,
      };
    });
  }

  close(): Promise<void> {
    return this.quorum.close();
  }
}

function agreedGroup(
  told: readonly Told<HoldingsTold>[],
  agree: number,
): readonly [HoldingsTold, ...HoldingsTold[]] | undefined {
  const groups = new Map<string, HoldingsTold[]>();
  for (const one of told) {
    if (one.kind !== 'told') continue;
    const name = one.value.minor.join(' ');
    groups.set(name, [...(groups.get(name) ?? []), one.value]);
  }
  const [first, ...rest] = [...groups.values()].find(({ length }) => length >= agree) ?? [];
  return first && [first, ...rest];
}
