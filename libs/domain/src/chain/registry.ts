import { acceptedTokens, type Chain, type EvmChain } from './chain.js';
import { ARBITRUM } from './data/arbitrum.js';
import { AVALANCHE } from './data/avalanche.js';
import { BASE } from './data/base.js';
import { BNB } from './data/bnb.js';
import { CELO } from './data/celo.js';
import { ETHEREUM } from './data/ethereum.js';
import { POLYGON } from './data/polygon.js';
import { SOLANA } from './data/solana.js';
import { STELLAR } from './data/stellar.js';

/** Chains a deposit may be on (interface.md, `chain`; aliases of decisions.md section 1): one file and one line each. */
export const CHAINS: readonly Chain[] = [BASE, CELO, STELLAR, POLYGON, SOLANA, ETHEREUM, BNB, AVALANCHE, ARBITRUM];

/** Those that one reader reads: another chain of this family is data. */
export const EVM_CHAINS: readonly EvmChain[] = CHAINS.filter((chain) => chain.family === 'evm');

/** Which chain is meant where a request names none; no other is looked at. */
export const DEFAULT_CHAIN = CELO.name;

const BY_NAME: ReadonlyMap<string, Chain> = new Map(CHAINS.map((chain) => [chain.name, chain]));

/** The chain of a canonical name; what clients write is read by the rule of the field. */
export function chainNamed(name: string): Chain | undefined {
  return BY_NAME.get(name);
}

/** Symbols of the tokens that are accepted on any chain. */
export const ACCEPTED_SYMBOLS: readonly string[] = [
  ...new Set(CHAINS.flatMap((chain) => acceptedTokens(chain)).map(({ symbol }) => symbol)),
];
