/** A second copy of reference/chains.md: the outside check must not learn from Vuka which contracts are money. */
export interface TokenFact {
  readonly symbol: string;
  readonly aliases: readonly string[];
  /** The contract; on Solana the mint, on Stellar the issuer (the asset's code is the symbol). */
  readonly address: string;
  readonly decimals: number;
}

export type Family = 'evm' | 'solana' | 'stellar';

export interface ChainFact {
  readonly family: Family;
  /**
   * Blocks on top of a transfer before it pays: up to USD 100, up to 2,000, and more.
   * Finality tags count as blocks: on sandbox EVM nodes `safe` is 1 and `finalized` 2 below the head, on Solana 31
   * slots.
   * A Stellar ledger is final at once.
   */
  readonly blocksOnTop: readonly [small: number, usual: number, large: number];
  /** US cents. Less is not sent back there: the value of a failed pay stays in the wallet. */
  readonly leastRefundCents: bigint;
  readonly tokens: readonly TokenFact[];
}

const token = (symbol: string, address: string, decimals = 6, ...aliases: string[]): TokenFact => ({
  symbol,
  address,
  decimals,
  aliases,
});

export const CHAIN_FACTS: Readonly<Record<string, ChainFact>> = {
  CELO: {
    family: 'evm',
    blocksOnTop: [12, 12, 12],
    leastRefundCents: 10n,
    tokens: [
      token('USDC', '0xcebA9300f2b948710d2653dD7B07f33A8B32118C'),
      token('USDT', '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', 6, 'USD₮'),
      token('CUSD', '0x765DE816845861e75A25fCA122bb6898B8B1282a', 18, 'cUSD', 'USDm'),
    ],
  },
  BASE: {
    family: 'evm',
    blocksOnTop: [10, 10, 10],
    leastRefundCents: 10n,
    tokens: [token('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')],
  },
  POLYGON: {
    family: 'evm',
    blocksOnTop: [2, 16, 128],
    leastRefundCents: 10n,
    tokens: [
      token('USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
      token('USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6, 'USDT0'),
    ],
  },
  ETHEREUM: {
    family: 'evm',
    blocksOnTop: [12, 32, 32],
    leastRefundCents: 500n,
    tokens: [
      token('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
      token('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    ],
  },
  BNB: {
    family: 'evm',
    blocksOnTop: [2, 15, 120],
    leastRefundCents: 10n,
    tokens: [
      token('USDT', '0x55d398326f99059fF775485246999027B3197955', 18),
      token('USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
    ],
  },
  AVALANCHE: {
    family: 'evm',
    blocksOnTop: [2, 2, 20],
    leastRefundCents: 10n,
    tokens: [
      token('USDC', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
      token('USDT', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', 6, 'USDt'),
    ],
  },
  ARBITRUM: {
    family: 'evm',
    blocksOnTop: [240, 240, 240],
    leastRefundCents: 10n,
    tokens: [
      token('USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
      token('USDT', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 6, 'USD₮0', 'USDT0'),
    ],
  },
  SOLANA: {
    family: 'solana',
    blocksOnTop: [31, 31, 31],
    leastRefundCents: 50n,
    tokens: [
      token('USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
      token('USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
    ],
  },
  STELLAR: {
    family: 'stellar',
    blocksOnTop: [0, 0, 0],
    leastRefundCents: 1n,
    tokens: [token('USDC', 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN', 7)],
  },
};

const CENTS_OF_TIERS = [100_00n, 2_000_00n];

/** On the sandbox's screening list: money from this sender waits for a person. */
export const SCREENED_SENDER = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';

export function chainFact(chain: string): ChainFact {
  const fact = CHAIN_FACTS[chain];
  if (fact === undefined) throw new Error(`nothing is known of the chain ${chain}`);
  return fact;
}

export function tokenNamed(chain: string, name: string): TokenFact | undefined {
  return CHAIN_FACTS[chain]?.tokens.find(({ symbol, aliases }) => symbol === name || aliases.includes(name));
}

/** On Stellar the asset's code must match too. Letter case counts on every chain but EVM. */
export function tokenAt(chain: string, address: string): TokenFact | undefined {
  return CHAIN_FACTS[chain]?.tokens.find((one) => spelled(chain, one.address) === spelled(chain, address));
}

export function spelled(chain: string, address: string): string {
  return CHAIN_FACTS[chain]?.family === 'evm' ? address.toLowerCase() : address;
}

/** `received` in minor units of the token. */
export function blocksOnTop(chain: string, received: bigint, decimals: number): number {
  const unit = 10n ** BigInt(decimals);
  const cents = (received * 100n + unit - 1n) / unit;
  const tier = CENTS_OF_TIERS.findIndex((most) => cents <= most);
  return chainFact(chain).blocksOnTop[tier === -1 ? 2 : tier] as number;
}

/** `received` in minor units of the token. */
export function isWorthSending(chain: string, received: bigint, decimals: number): boolean {
  return received * 100n >= chainFact(chain).leastRefundCents * 10n ** BigInt(decimals);
}
