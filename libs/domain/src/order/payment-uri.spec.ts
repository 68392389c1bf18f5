import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { acceptedTokens, tokenAsset, type Chain, type Token } from '../chain/chain.js';
import { CHAINS, chainNamed } from '../chain/registry.js';
import { parseDecimal } from '../money/decimal.js';
import { money } from '../money/money.js';
import { paymentUri } from './payment-uri.js';

const EVM_ADDRESS = '0x8e23Ee67D1332aD560396262C48ffbB01f93D052';
const SOLANA_ADDRESS = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
const STELLAR_ADDRESS = 'GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO';
/** Muxed address, account and memo. */
const STELLAR = { address: `M${'A'.repeat(68)}`, memoAddress: STELLAR_ADDRESS, memo: '5000000000000001' };
const targetOn = ({ family }: Chain): { address: string; memoAddress: string; memo: string } =>
  family === 'stellar'
    ? STELLAR
    : { address: family === 'evm' ? EVM_ADDRESS : SOLANA_ADDRESS, memoAddress: '', memo: '' };

function uriOn(network: string, symbol: string, amountMinor: bigint): string {
  const chain = chainNamed(network);
  const token = chain?.tokens.find((one) => one.symbol === symbol);
  if (chain === undefined || token === undefined) throw new Error(`no ${symbol} on ${network}`);
  return paymentUri(chain, token, { ...targetOn(chain), amount: money(amountMinor, tokenAsset(chain, token)) });
}

describe('paymentUri', () => {
  it.each([
    [
      'ETHEREUM',
      'USDC',
      10_000_000n,
      `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${EVM_ADDRESS}&uint256=10000000`,
    ],
    [
      'BASE',
      'USDC',
      1n,
      `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${EVM_ADDRESS}&uint256=1`,
    ],
    // 18 decimals without exponent: some wallets cannot read one.
    [
      'BNB',
      'USDT',
      10_500_000_000_000_000_000n,
      `ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=${EVM_ADDRESS}&uint256=10500000000000000000`,
    ],
    [
      'SOLANA',
      'USDC',
      10_000n,
      `solana:${SOLANA_ADDRESS}?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`,
    ],
    [
      'SOLANA',
      'USDT',
      1_234_000_000n,
      `solana:${SOLANA_ADDRESS}?amount=1234&spl-token=Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB`,
    ],
    [
      'STELLAR',
      'USDC',
      1_201_234_567n,
      `web+stellar:pay?destination=${STELLAR_ADDRESS}&amount=120.1234567&asset_code=USDC&asset_issuer=GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN&memo=5000000000000001&memo_type=MEMO_ID`,
    ],
  ])('on %s in %s of %d: %s', (network, symbol, amountMinor, uri) => {
    expect(uriOn(network, symbol, amountMinor)).toBe(uri);
  });

  it('asks for more than nothing', () => {
    expect(() => uriOn('BASE', 'USDC', 0n)).toThrow(RangeError);
  });

  const pairs = CHAINS.flatMap((chain) => acceptedTokens(chain).map((token): [Chain, Token] => [chain, token]));

  it('says the amount to the unit, the token and where to, on every chain and for every token', () => {
    fc.assert(
      fc.property(fc.constantFrom(...pairs), fc.bigInt(1n, 10n ** 30n), ([chain, token], amountMinor) => {
        const sent = money(amountMinor, tokenAsset(chain, token));
        const uri = paymentUri(chain, token, { ...targetOn(chain), amount: sent });
        expect(uri).toMatch(/^[A-Za-z0-9:@/?&=.+_-]+$/);
        const { pathname, searchParams } = new URL(uri);
        if (chain.family === 'evm') {
          expect([pathname, searchParams.get('address'), searchParams.get('uint256')]).toEqual([
            `${token.address}@${String(chain.chainId)}/transfer`,
            EVM_ADDRESS,
            amountMinor.toString(),
          ]);
          return;
        }
        const amount = searchParams.get('amount') ?? '';
        expect(amount).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
        expect(parseDecimal(amount, token.decimals)).toEqual({ ok: true, value: amountMinor });
        expect(uri).toContain(token.address);
        expect(uri).toContain(
          chain.family === 'solana' ? `solana:${SOLANA_ADDRESS}?` : `destination=${STELLAR_ADDRESS}&`,
        );
      }),
    );
  });
});
