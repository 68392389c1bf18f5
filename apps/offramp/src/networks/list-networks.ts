import { Inject, Injectable } from '@nestjs/common';
import type { NetworkView } from '@vuka/contracts';
import { acceptedTokens, CHAINS, ok, type Chain, type ChainFamily, type Result } from '@vuka/domain';

import { DepositAddresses } from '../addresses/index.js';
import { SERVED_CHAIN_NAMES } from '../chains/index.js';
import { type SwitchedOff, Switches } from '../switches/index.js';

export interface ServedChainView {
  readonly name: string;
  readonly assets: string[];
}

/** Off or not served: no address and no contract (decisions.md section 2: `""` and false). */
@Injectable()
export class ListNetworks {
  public constructor(
    @Inject(DepositAddresses) private readonly addresses: Pick<DepositAddresses, 'ofPartner'>,
    @Inject(SERVED_CHAIN_NAMES) private readonly served: ReadonlySet<string>,
    @Inject(Switches) private readonly switches: Pick<Switches, 'all'>,
  ) {}

  /** A family without an address counts as not served. service_unavailable: none has one. */
  public async of(partnerId: number): Promise<Result<NetworkView[]>> {
    const families = [...new Set(this.servedChains.map(({ family }) => family))];
    const found = await Promise.all(
      families.map(async (family) => [family, await this.addresses.ofPartner(partnerId, family)] as const),
    );
    const given = new Map<ChainFamily, string>(
      found.flatMap(([family, address]) => (address.ok ? [[family, address.value.address] as const] : [])),
    );
    const refused = found.map(([, address]) => address).find((address) => !address.ok);
    if (refused !== undefined && given.size === 0) return refused;
    const off = await this.switches.all();
    return ok(
      CHAINS.map((chain) =>
        viewOf(chain, (this.served.has(chain.name) && isOn(chain, off) && given.get(chain.family)) || '', off),
      ),
    );
  }

  public async chains(): Promise<ServedChainView[]> {
    const off = await this.switches.all();
    const on = this.servedChains.filter((chain) => isOn(chain, off));
    return on.map((chain) => ({
      name: chain.name,
      assets: acceptedTokens(chain)
        .filter(({ symbol }) => isOn(chain, off, symbol))
        .map(({ symbol }) => symbol),
    }));
  }

  private get servedChains(): readonly Chain[] {
    return CHAINS.filter(({ name }) => this.served.has(name));
  }
}

function isOn({ name }: Pick<Chain, 'name'>, off: readonly SwitchedOff[], symbol: string | null = null): boolean {
  return !off.some(({ chain, asset }) => chain === name && asset === symbol);
}

/** address '': not served. */
function viewOf(chain: Chain, address: string, off: readonly SwitchedOff[]): NetworkView {
  const isServed = address !== '';
  return {
    name: chain.name,
    icon: '',
    settlement_wallet_address: address,
    checkout_status: isServed,
    assets: acceptedTokens(chain).map(({ symbol, address: contract }) => {
      const isTaken = isServed && isOn(chain, off, symbol);
      return { name: symbol, icon: '', contract_address: isTaken ? contract : '', checkout_status: isTaken };
    }),
  };
}
