import { acceptedTokens, type EvmChain } from '@vuka/domain';

import { AgreedBalances, type ChainBalances, type HoldingsTold } from '../balances.js';
import type { OutgoingOptions } from '../outgoing.js';
import { OutgoingQuorum } from '../outgoing-quorum.js';
import { EndpointClient } from '../reader/endpoint-client.js';
import { MalformedAnswerError } from '../reader/json-values.js';
import { someAtOnce } from '../reader/some-at-once.js';

import { EvmEndpoint } from './evm-endpoint.js';
import { balanceData } from './transfer-signer.js';

const CALLS_AT_ONCE = 16;
const WORD = /^0x[0-9a-fA-F]{64}$/;

class BalanceEndpoint extends EvmEndpoint {
  async holdings(addresses: readonly string[], at: number): Promise<HoldingsTold> {
    const tokens = acceptedTokens(this.parts.chain as EvmChain);
    const calls = tokens.flatMap((token, place) =>
      addresses.map((address) => ({
        place,
        call: [{ to: token.address, data: balanceData(address) }, `0x${at.toString(16)}`],
      })),
    );
    const minor = tokens.map(() => 0n);
    await someAtOnce(calls, CALLS_AT_ONCE, async ({ place, call }) => {
      const told = await this.parts.client.call('eth_call', call);
      if (typeof told !== 'string' || !WORD.test(told)) throw new MalformedAnswerError('token balance');
      minor[place] = (minor[place] ?? 0n) + BigInt(told);
    });
    return { from: at, to: at, minor };
  }
}

export function evmBalances({
  chain,
  endpoints: urls,
  agree,
  log,
  metrics,
  clock,
}: OutgoingOptions & { readonly chain: EvmChain }): ChainBalances {
  const endpoints = urls.map((url, index) => {
    const number = index + 1;
    const client = new EndpointClient({
      chain: chain.name,
      number,
      url: new URL(url),
      clock,
      metrics,
      longestBytes: {},
    });
    return new BalanceEndpoint({ chain, number, identity: String(chain.chainId), client, clock, log });
  });
  return new AgreedBalances(chain, new OutgoingQuorum(endpoints, agree, clock));
}
