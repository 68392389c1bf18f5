import { randomBytes } from 'node:crypto';

import { acceptedTokens, type Chain, type ChainFamily } from '@vuka/domain';

import { accountAddress, secretSeed } from '../address/stellar-address.js';
import { newEd25519Key } from '../ed25519-key.js';
import { encodeBase58 } from '../solana/base58.js';

import { openEvmSandbox } from './open-sandbox.js';
import { SANDBOX_WALLET_TOKENS } from './wallet-tokens.js';

/** In the form of TransferSigner. */
export interface WalletKey {
  readonly address: string;
  readonly secret: string;
}

const ANSWER_WITHIN_MS = 5_000;
/** Byte offset in a Solana token account. */
const AMOUNT_AT = 64;

/** Loads a library for `evm`. */
export async function newRefundKeys(families: Iterable<ChainFamily>): Promise<Partial<Record<ChainFamily, WalletKey>>> {
  const keys: Partial<Record<ChainFamily, WalletKey>> = {};
  for (const family of families) keys[family] = family === 'evm' ? await evmKey() : ed25519Key(family);
  return keys;
}

/**
 * Refills only below half, so that the total given is known and can be compared with the ledger. Throws
 * SandboxNodeError.
 */
export async function endowRefundWallet(chain: Chain, url: string, address: string): Promise<void> {
  switch (chain.family) {
    case 'evm': {
      const hands = await openEvmSandbox(chain, url);
      return hands.endow(address).finally(() => hands.close());
    }
    case 'solana': {
      const hands = new (await import('./solana/sandbox-solana.js')).SandboxSolana(chain, url);
      await hands.fuel(address);
      const { programOf, tokenAccountOf } = await import('../solana/token-programs.js');
      for (const token of acceptedTokens(chain)) {
        const plenty = SANDBOX_WALLET_TOKENS * 10n ** BigInt(token.decimals);
        const { value } = await hands.ask<{ value: unknown }>(
          'getAccountInfo',
          tokenAccountOf(address, token.address, programOf(token)),
          { encoding: 'base64' },
        );
        if (value === null || solanaHolding(value) < plenty / 2n)
          await hands.ask('sandbox_give', { owner: address, mint: token.address, amountMinor: String(plenty) });
      }
      return;
    }
    case 'stellar': {
      const hands = new (await import('./stellar/sandbox-stellar.js')).SandboxStellar(chain, url);
      for (const { symbol } of acceptedTokens(chain)) {
        if ((await stellarHolding(url, address, symbol)) < SANDBOX_WALLET_TOKENS / 2n)
          await hands.hold({ account: address, asset: symbol, amount: String(SANDBOX_WALLET_TOKENS) });
      }
    }
  }
}

/** Minor units. */
function solanaHolding(account: unknown): bigint {
  const [data] = (account as { readonly data: readonly [string] }).data;
  return Buffer.from(data, 'base64').readBigUInt64LE(AMOUNT_AT);
}

/** Whole units; -1n without an account. */
async function stellarHolding(url: string, account: string, asset: string): Promise<bigint> {
  const answer = await fetch(`${url}/accounts/${account}`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    return -1n;
  }
  const { balances } = (await answer.json()) as { balances: readonly { asset_code?: string; balance: string }[] };
  return BigInt((balances.find(({ asset_code: code }) => code === asset)?.balance ?? '-1').split('.')[0] ?? '-1');
}

async function evmKey(): Promise<WalletKey> {
  const { EVM_TRANSFER_SIGNER } = await import('../evm/transfer-signer.js');
  const secret = `0x${randomBytes(32).toString('hex')}`;
  const address = EVM_TRANSFER_SIGNER.addressOf(secret);
  return address.ok ? { address: address.value, secret } : evmKey();
}

function ed25519Key(family: 'solana' | 'stellar'): WalletKey {
  const { seed, publicKey } = newEd25519Key();
  if (family === 'stellar') return { address: accountAddress(publicKey), secret: secretSeed(seed) };
  return { address: encodeBase58(publicKey), secret: encodeBase58(Buffer.concat([seed, publicKey])) };
}
