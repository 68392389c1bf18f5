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

/** interface.md, `chain`; aliases: decisions.md section 1. */
export const CHAINS: readonly Chain[] = [BASE, CELO, STELLAR, POLYGON, SOLANA, ETHEREUM, BNB, AVALANCHE, ARBITRUM];

export const EVM_CHAINS: readonly EvmChain[] = CHAINS.filter((chain) => chain.family === 'evm');

/** For requests without a chain; no other chain is searched. */
export const DEFAULT_CHAIN = CELO.name;

const BY_NAME: ReadonlyMap<string, Chain> = new Map(CHAINS.map((chain) => [chain.name, chain]));

/** Canonical names only. */
export function chainNamed(name: string): Chain | undefined {
  return BY_NAME.get(name);
}

export const ACCEPTED_SYMBOLS: readonly string[] = [
  ...new Set(CHAINS.flatMap((chain) => acceptedTokens(chain)).map(({ symbol }) => symbol)),
];
