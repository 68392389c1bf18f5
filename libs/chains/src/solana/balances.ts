import { acceptedTokens, type SolanaChain } from '@vuka/domain';

import { AgreedBalances, type ChainBalances, type HoldingsTold } from '../balances.js';
import type { OutgoingOptions } from '../outgoing.js';
import { OutgoingQuorum } from '../outgoing-quorum.js';
import { EndpointClient } from '../reader/endpoint-client.js';
import { MalformedAnswerError, objectAt } from '../reader/json-values.js';

import { OurAccounts } from './our-accounts.js';
import { holdingOf } from './outgoing-endpoint.js';
import { SolanaEndpoint } from './solana-endpoint.js';
import { LONGEST_BYTES } from './solana-reader.js';
import { programOf, tokenAccountOf } from './token-programs.js';
import { countAt, listAt } from './transaction.js';

/** Node limit per call. */
const ACCOUNTS_AT_ONCE = 100;

/** As of final slots. */
class BalanceEndpoint extends SolanaEndpoint {
  async holdings(owners: readonly string[]): Promise<HoldingsTold> {
    const tokens = acceptedTokens(this.parts.chain as unknown as SolanaChain);
    const accounts = tokens.flatMap((token, place) =>
      owners.map((owner) => ({ place, account: tokenAccountOf(owner, token.address, programOf(token)) })),
    );
    const minor = tokens.map(() => 0n);
    const slots: number[] = [];
    for (let at = 0; at < accounts.length || slots.length === 0; at += ACCOUNTS_AT_ONCE) {
      const asked = accounts.slice(at, at + ACCOUNTS_AT_ONCE);
      const answer = objectAt(
        await this.parts.client.call('getMultipleAccounts', [
          asked.map(({ account }) => account),
          { commitment: 'finalized', encoding: 'base64' },
        ]),
        'accounts',
      );
      slots.push(countAt(objectAt(answer['context'], 'accounts.context')['slot'], 'accounts.context.slot'));
      const told = listAt(answer['value'], 'accounts.value');
      if (told.length !== asked.length) throw new MalformedAnswerError('accounts.value');
      for (const [index, { place }] of asked.entries())
        minor[place] = (minor[place] ?? 0n) + (told[index] === null ? 0n : holdingOf(told[index]));
    }
    return { from: Math.min(...slots), to: Math.max(...slots), minor };
  }
}

export function solanaBalances({
  chain,
  endpoints: urls,
  agree,
  log,
  metrics,
  clock,
}: OutgoingOptions & { readonly chain: SolanaChain }): ChainBalances {
  const accounts = new OurAccounts(chain.tokens);
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
    return new BalanceEndpoint({ chain, number, identity: chain.genesisHash, client, clock, log }, accounts);
  });
  return new AgreedBalances(chain, new OutgoingQuorum(endpoints, agree, clock));
}
