import { describe, expect, it } from '@jest/globals';
import { muxedAddress } from '@vuka/chains';
import { CHAINS } from '@vuka/domain';

import { type AddressSource, stellarSource } from '../addresses/address-sources.js';
import { OwnAddresses } from '../addresses/own-addresses.js';
import { CheckRefundAddress } from './check-refund-address.js';

const EVM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const OUR_EVM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TREASURY = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const [GIVEN_SOLANA, POOLED_SOLANA] = [
  '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
] as const;
const ACCOUNT = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const STRANGER = 'GAYOLLLUIZE4DZMBB2ZBKGBUBZLIOYU6XFLW37GBP2VZD3ABNXCW4BVA';

const given = [OUR_EVM, GIVEN_SOLANA, muxedAddress(ACCOUNT, 7n)];
const own = new OwnAddresses(
  { oursAmong: async (all: readonly string[]) => all.filter((one) => given.includes(one)) },
  new Set([TREASURY, ACCOUNT]),
);
const pool: AddressSource = {
  family: 'solana',
  variable: '',
  keyId: '',
  size: 2,
  addressAt: () => undefined,
  holds: (one) => one === POOLED_SOLANA,
};
const check = new CheckRefundAddress(
  own,
  new Map([
    ['solana', pool],
    ['stellar', stellarSource(ACCOUNT)],
  ]),
  new Set(CHAINS.map(({ name }) => name).filter((name) => name !== 'BASE')),
);

describe('a refund address', () => {
  it.each([
    ['CELO', EVM.toLowerCase(), EVM],
    ['BNB', EVM, EVM],
    ['SOLANA', WALLET, WALLET],
    ['STELLAR', STRANGER, STRANGER],
    ['STELLAR', muxedAddress(STRANGER, 9n), muxedAddress(STRANGER, 9n)],
  ])('on %s is taken in the spelling of its chain: %s', async (chain, address, canonical) => {
    expect(await check.run({ chain, address })).toEqual({ ok: true, value: { address: canonical } });
  });

  it.each([
    ['CELO', EVM.replace('f39F', 'F39f')],
    ['CELO', EVM.slice(2)],
    ['CELO', WALLET],
    ['CELO', ''],
    ['SOLANA', WALLET.slice(0, -2)],
    ['SOLANA', EVM],
    ['SOLANA', STRANGER],
    ['STELLAR', STRANGER.replace('GAY', 'GAZ')],
    ['STELLAR', WALLET],
    ['STELLAR', EVM],
  ])('on %s is no address of another form, nor with a typing error: %s', async (chain, address) => {
    expect(await check.run({ chain, address })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringMatching(/^refund_address must be /) },
    });
  });

  it.each([
    ['CELO', `0x${'0'.repeat(40)}`],
    ['CELO', '0x0000000000000000000000000000000000000001'],
    ['CELO', '0x000000000000000000000000000000000000dEaD'],
    ['CELO', `0x${'f'.repeat(40)}`],
    ['SOLANA', '1'.repeat(32)],
    ['SOLANA', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
    ['SOLANA', '1nc1nerator11111111111111111111111111111111'],
    ['STELLAR', `G${'A'.repeat(52)}WHF`],
    ['STELLAR', muxedAddress(`G${'A'.repeat(52)}WHF`, 5n)],
  ])('on %s is none that nobody has: %s', async (chain, address) => {
    expect(await check.run({ chain, address })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('nobody has') },
    });
  });

  it.each([
    ['CELO', OUR_EVM],
    ['CELO', OUR_EVM.toLowerCase()],
    ['CELO', TREASURY],
    ['SOLANA', GIVEN_SOLANA],
    ['SOLANA', POOLED_SOLANA],
    ['STELLAR', ACCOUNT],
    ['STELLAR', muxedAddress(ACCOUNT, 7n)],
    ['STELLAR', muxedAddress(ACCOUNT, 8n)],
  ])('on %s is none of ours: %s', async (chain, address) => {
    expect(await check.run({ chain, address })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('ours') },
    });
  });

  it.each(
    CHAINS.filter(({ name }) => name !== 'BASE').flatMap(({ name, tokens, lookalikes }) =>
      [...tokens, ...lookalikes].map(({ symbol, address }) => [name, symbol, address] as const),
    ),
  )('on %s is not the token %s', async (chain, _symbol, address) => {
    expect(await check.run({ chain, address })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('token') },
    });
  });

  it('cannot be checked for a chain that is not served', async () => {
    for (const chain of ['BASE', 'NOWHERE'])
      expect(await check.run({ chain, address: EVM })).toMatchObject({
        ok: false,
        error: { code: 'service_unavailable' },
      });
  });
});
