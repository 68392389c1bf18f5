import { acceptedTokens, type Chain, type Token } from '../chain/chain.js';
import { finalityTier, type FinalityRule, type FinalityTier } from '../chain/finality.js';
import { CHAINS, DEFAULT_CHAIN, EVM_CHAINS } from '../chain/registry.js';
import { CHAIN_SOURCES } from '../chain/sources.js';
import { formatLimit } from '../money/decimal.js';
import { page, table } from './page-text.js';

const NONE = '–';
const MINUTE_MS = 60_000;

export function chainsPage(): string {
  return page(
    '# Chains',
    [
      `Where a deposit may be; ${DEFAULT_CHAIN} where a request names none. A token is what its address says: its symbol is ours, and what the contract`,
      'calls itself counts for nothing. `asset` is read with its letter case; chains are read in any. Only tokens pegged to USD are accepted.',
      'Less than the least refund is not sent back on the chain: its transfer may cost more.',
    ].join('\n'),
    table(
      ['chain', 'also', 'family', 'chain id', 'native coin', 'least refund', 'accepted'],
      CHAINS.map((chain) => [
        chain.name,
        listed(chain.aliases),
        chain.family,
        chain.family === 'evm' ? String(chain.chainId) : NONE,
        chain.nativeCoin,
        `USD ${formatLimit(chain.leastRefundCents, 2)}`,
        acceptedTokens(chain)
          .map(({ symbol, decimals }) => `${symbol} (${String(decimals)} decimals)`)
          .join(', '),
      ]),
    ),
    ...feeBlocks(),
    ...finalityBlocks(),
    ...CHAINS.flatMap(chainBlocks),
    '## Sources',
    'Of addresses, decimals and chain ids, by the keys above. Nothing was read from a live chain: before a deployment goes live, two endpoints of each are asked.',
    table(['key', 'source'], Object.entries(CHAIN_SOURCES)),
  );
}

function feeBlocks(): string[] {
  return [
    '## Cost of a refund',
    [
      'We pay for the transfer of a refund. `bid cap` is the most that is bid for one unit: wei for a unit of gas, micro-lamports for a compute unit,',
      'stroops for an operation. `coin at most` bounds what a native coin costs; nothing is ever priced by it. A refund that is worth less than five times',
      'what its transfer costs at the bid in force waits for people. A chain that lacks one of these does not start.',
    ].join('\n'),
    table(
      ['chain', 'bid cap', 'coin at most', 'rent a day and partner', 'source'],
      CHAINS.map(({ name, nativeCoin, fees: { mostPerUnit, coinDecimals, mostCoinCents, source }, ...chain }) => [
        name,
        String(mostPerUnit),
        `USD ${formatLimit(mostCoinCents, 2)}`,
        'mostRentADay' in chain ? `${formatLimit(chain.mostRentADay, coinDecimals)} ${nativeCoin}` : NONE,
        source,
      ]),
    ),
  ];
}

function finalityBlocks(): string[] {
  const limits = EVM_CHAINS[0]?.finality.tiers.map(({ maxUsdCents }) => maxUsdCents) ?? [];
  return [
    '## Finality',
    [
      'What has to stand over the block of a deposit, by the worth of all that was received in it. `n blocks`: on top of it. A tag holds where the block is not',
      'above the height that the chain gives it. No tier asks for less than the one before. `alarm`: how far `finalized` may fall behind `latest`; deposits wait',
      'meanwhile. `looked for`: after so long from its claim, what is not found or not final is given up. A block of Solana is a slot, of Stellar a ledger.',
    ].join('\n'),
    table(
      [
        'chain',
        ...limits.map((limit) => (limit === null ? 'more' : `up to USD ${formatLimit(limit, 2)}`)),
        'block',
        'alarm',
        'looked for',
        'rule',
      ],
      CHAINS.map(({ name, finality, blockMs, searchForMs }) => [
        name,
        ...limits.map((limit) => tierText(tierOf(finality, limit))),
        `${formatLimit(BigInt(blockMs), 3)} s`,
        minutes(finality.maxTagLagMs),
        minutes(searchForMs),
        `version ${String(finality.version)}`,
      ]),
    ),
  ];
}

/** null: no limit. */
function tierOf(finality: FinalityRule, limit: bigint | null): FinalityTier {
  return finalityTier(finality, limit ?? (finality.tiers.at(-2)?.maxUsdCents ?? 0n) + 1n);
}

function tierText({ tag, minDepth, depthWithoutTag }: FinalityTier): string {
  const depth = minDepth === 0 ? [] : [blocks(minDepth)];
  const parts = [...(tag === null ? [] : [`\`${tag}\``]), ...depth].join(' and ') || 'nothing: it is final';
  return depthWithoutTag === null ? parts : `${parts}; ${blocks(depthWithoutTag)} where no such tag is told`;
}

const blocks = (depth: number): string => (depth === 1 ? '1 block' : `${String(depth)} blocks`);
const minutes = (ms: number): string => `${String(ms / MINUTE_MS)} min`;
const listed = (names: readonly string[]): string => (names.length === 0 ? NONE : names.join(', '));

function chainBlocks({ name, tokens, lookalikes }: Chain): string[] {
  return [
    `## ${name}`,
    table(
      ['token', 'also', 'on chain', 'address', 'decimals', 'peg', 'accepted', 'issuance', 'sources'],
      tokens.map(tokenRow),
    ),
    ...(lookalikes.length === 0
      ? []
      : [
          'Never credited, whatever it calls itself:',
          table(
            ['token', 'address', 'what it is', 'sources'],
            lookalikes.map(({ symbol, address, why, sources }) => [symbol, `\`${address}\``, why, sources.join(', ')]),
          ),
        ]),
  ];
}

function tokenRow({
  symbol,
  aliases,
  onchainSymbol,
  address,
  decimals,
  peg,
  enabled,
  issuance,
  sources,
}: Token): string[] {
  return [
    symbol,
    listed(aliases),
    onchainSymbol,
    `\`${address}\``,
    String(decimals),
    peg,
    enabled ? 'yes' : 'no',
    issuance,
    sources.join(', '),
  ];
}
