import type { NetworkView } from '@vuka/contracts';
import { acceptedTokens, CHAINS, ok, type Chain, type Result } from '@vuka/domain';

import type { DepositAddresses } from './deposit-addresses.js';

/** A chain that is served, with the tokens accepted on it. */
export interface ServedChainView {
  readonly name: string;
  readonly assets: string[];
}

/** Chains and tokens as partners see them: one that is not served has no address and no contract to send to (decisions.md section 2: `""` and false). */
export class ListNetworks {
  public constructor(
    private readonly addresses: Pick<DepositAddresses, 'ofPartner'>,
    private readonly served: ReadonlySet<string>,
  ) {}

  /** With the partner's own address, made where there is none yet. Error: service_unavailable. */
  public async of(partnerId: number): Promise<Result<NetworkView[]>> {
    if (this.served.size === 0) return ok(CHAINS.map((chain) => viewOf(chain, '')));
    const found = await this.addresses.ofPartner(partnerId);
    if (!found.ok) return found;
    return ok(CHAINS.map((chain) => viewOf(chain, this.served.has(chain.name) ? found.value.address : '')));
  }

  public chains(): ServedChainView[] {
    const served = CHAINS.filter(({ name }) => this.served.has(name));
    return served.map((chain) => ({ name: chain.name, assets: acceptedTokens(chain).map(({ symbol }) => symbol) }));
  }
}

/** address '': not served. */
function viewOf(chain: Chain, address: string): NetworkView {
  const isServed = address !== '';
  return {
    name: chain.name,
    icon: '',
    settlement_wallet_address: address,
    checkout_status: isServed,
    assets: acceptedTokens(chain).map(({ symbol, address: contract }) => ({
      name: symbol,
      icon: '',
      contract_address: isServed ? contract : '',
      checkout_status: isServed,
    })),
  };
}
