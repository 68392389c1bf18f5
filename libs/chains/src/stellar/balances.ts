import { acceptedTokens, tokenIdentity, type StellarChain } from '@vuka/domain';

import { AgreedBalances, type ChainBalances, type HoldingsTold } from '../balances.js';
import type { OutgoingOptions } from '../outgoing.js';
import { OutgoingQuorum } from '../outgoing-quorum.js';
import type { EndpointParts } from '../reader/create-reader.js';
import { EndpointClient } from '../reader/endpoint-client.js';

import { Horizon, LONGEST_BYTES } from './horizon.js';
import { holdingOf } from './purse.js';
import { StellarEndpoint, type StellarChainFacts } from './stellar-endpoint.js';

/** Heights: newest ledger before and after reading. */
class BalanceEndpoint extends StellarEndpoint {
  private readonly network: Horizon;

  constructor(parts: EndpointParts<StellarChainFacts>) {
    super(parts);
    this.network = new Horizon(parts.client);
  }

  async holdings(accounts: readonly string[]): Promise<HoldingsTold> {
    const chain = this.parts.chain as StellarChain;
    const tokens = acceptedTokens(chain).map((token) => tokenIdentity(chain, token));
    const minor = tokens.map(() => 0n);
    const { ledger: from } = await this.network.newest();
    for (const id of accounts) {
      const account = await this.network.account(id);
      if (account !== undefined)
        for (const [place, token] of tokens.entries()) minor[place] = (minor[place] ?? 0n) + holdingOf(account, token);
    }
    const { ledger: to } = await this.network.newest();
    return { from, to, minor };
  }
}

export function stellarBalances({
  chain,
  endpoints: urls,
  agree,
  log,
  metrics,
  clock,
}: OutgoingOptions & { readonly chain: StellarChain }): ChainBalances {
  const endpoints = urls.map((url, index) => {
    const number = index + 1;
    const client = new EndpointClient({
      chain: chain.name,
      number,
      url: new URL(url),
      clock,
      metrics,
      longestBytes: LONGEST_BYTES,
    });
    return new BalanceEndpoint({ chain, number, identity: chain.networkPassphrase, client, clock, log });
  });
  return new AgreedBalances(chain, new OutgoingQuorum(endpoints, agree, clock));
}
