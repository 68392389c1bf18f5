import { acceptedTokens, type EvmChain, type Token } from '../chain/chain.js';
import { EVM_CHAINS } from '../chain/registry.js';
import { formatDecimal, parseDecimal } from '../money/decimal.js';
import { money } from '../money/money.js';
import type { DepositClaim, DepositToJudge, Exposure, Judgement } from './judge.js';
import type { ChainHeights, SightedTransfer, Sighting } from './sighting.js';

export const NOW = new Date('2026-11-21T12:00:00Z');
export const HOUR_MS = 3_600_000;
export const at = (ms: number): Date => new Date(NOW.getTime() + ms);

export function evm(name: string): EvmChain {
  const chain = EVM_CHAINS.find((one) => one.name === name);
  if (chain === undefined) throw new Error(`no chain ${name}`);
  return chain;
}

export function accepted(chain: EvmChain, symbol: string): Token {
  const token = acceptedTokens(chain).find((one) => one.symbol === symbol);
  if (token === undefined) throw new Error(`no ${symbol} on ${chain.name}`);
  return token;
}

export const STRANGER = `0x${'5e'.repeat(20)}`;
/** Spelled differently than in transfers. */
export const OURS = `0x${'0A'.repeat(20)}`;
export const UNKNOWN_CONTRACT = `0x${'99'.repeat(20)}`;

export const transfer = (token: string, value: bigint, from = STRANGER, ordinal = 0): SightedTransfer => ({
  token,
  from,
  value,
  ordinal,
});

export function minor(text: string, decimals: number): bigint {
  const parsed = parseDecimal(text, decimals);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

const BLOCK = 1_000;
export const FINAL: ChainHeights = { latest: BLOCK + 1_000, safe: BLOCK + 500, finalized: BLOCK + 500 };
export const NOT_FINAL: ChainHeights = { latest: BLOCK, safe: BLOCK - 1, finalized: BLOCK - 1 };

export const inBlock = (
  heights: ChainHeights,
  timeMs = NOW.getTime(),
): { block: { number: number; hash: string; timeMs: number }; heights: ChainHeights } => ({
  block: { number: BLOCK, hash: `0x${'b1'.repeat(32)}`, timeMs },
  heights,
});

export const found = (transfers: readonly SightedTransfer[], heights = FINAL, timeMs?: number): Sighting => ({
  kind: 'found',
  ...inBlock(heights, timeMs),
  transfers,
});

/** 1,293.50 shillings at 129.35: 10 tokens. */
export const CLAIM: DepositClaim = {
  asset: null,
  amount: money(1_293_50n, 'KES'),
  openedAt: NOW,
  deadline: at(HOUR_MS),
  addressSince: at(-1_000 * HOUR_MS),
  rate: '129.35',
  quote: null,
};

export const UNEXPOSED: Exposure = { openCents: 0n, limitCents: 10n ** 40n };

export const look = (
  sighting: Sighting,
  {
    chain = evm('CELO'),
    now = at(60_000),
    exposure = UNEXPOSED,
    ...claim
  }: Partial<DepositClaim> & { chain?: EvmChain; now?: Date; exposure?: Exposure } = {},
): DepositToJudge => ({
  chain,
  sighting,
  claim: { ...CLAIM, ...claim },
  ownAddresses: new Set([OURS]),
  exposure,
  now,
});

export function verdictText(judgement: Judgement): string {
  switch (judgement.kind) {
    case 'wait':
      return `wait${judgement.seen ? ', seen' : ''}${judgement.exposed ? ', exposed' : ''}`;
    case 'unusable':
      return judgement.reason + (judgement.releasesClaim ? '; release' : '');
    case 'unapplied':
      return `unapplied ${judgement.reason}: ${symbolsOf(judgement)}`;
    case 'verified': {
      const short = judgement.shortfall.minor > 0n ? `; short ${judgement.shortfall.minor.toString()}` : '';
      return `verified: ${symbolsOf(judgement)}${short}${beyondOf(judgement)}${judgement.quoteNotApplied === null ? '' : `; quote ${judgement.quoteNotApplied}`}`;
    }
  }
}

type Valued = Extract<Judgement, { credits: unknown }>;

const symbolsOf = ({ credits }: Valued): string =>
  credits
    .filter(({ isBeyondQuote }) => !isBeyondQuote)
    .map(({ token }) => token.symbol)
    .join(', ');
const beyondOf = ({ credits }: Valued): string =>
  credits
    .filter(({ isBeyondQuote }) => isBeyondQuote)
    .map(({ token, received }) => `; ${formatDecimal(received.minor, token.decimals)} beyond the quote`)
    .join('');
