import { randomBytes } from 'node:crypto';

import { acceptedTokens, type Chain, type ChainFamily } from '@vuka/domain';

import { accountAddress, secretSeed } from '../address/stellar-address.js';
import { newEd25519Key } from '../ed25519-key.js';
import { encodeBase58 } from '../solana/base58.js';

import { openEvmSandbox } from './sandbox-hands.js';

/** The key of a wallet that refunds are paid from, as a TransferSigner takes it, and the address that everybody may know. */
export interface WalletKey {
  readonly address: string;
  readonly secret: string;
}

/** Whole tokens: more than is ever sent back in a sandbox. */
const PLENTY = 10n ** 9n;

/** New ones. Loads a library for the family that has no curve in Node: `evm`. */
export async function newRefundKeys(families: Iterable<ChainFamily>): Promise<Partial<Record<ChainFamily, WalletKey>>> {
  const keys: Partial<Record<ChainFamily, WalletKey>> = {};
  for (const family of families) keys[family] = family === 'evm' ? await evmKey() : ed25519Key(family);
  return keys;
}

/** Gives the wallet plenty of what it sends, and of what that costs. A repeat only fills it up. Throws SandboxNodeError. */
export async function endowRefundWallet(chain: Chain, url: string, address: string): Promise<void> {
  switch (chain.family) {
    case 'evm': {
      const hands = await openEvmSandbox(chain, url);
      return hands.endow(address).finally(() => hands.close());
    }
    case 'solana': {
      const hands = new (await import('./solana/sandbox-solana.js')).SandboxSolana(chain, url);
      await hands.fuel(address);
      for (const token of acceptedTokens(chain)) await hands.ask('sandbox_give', { owner: address, mint: token.address, amountMinor: String(PLENTY * 10n ** BigInt(token.decimals)) });
      return;
    }
    case 'stellar': {
      const hands = new (await import('./stellar/sandbox-stellar.js')).SandboxStellar(chain, url);
      for (const { symbol } of acceptedTokens(chain)) await hands.hold({ account: address, asset: symbol, amount: String(PLENTY) });
    }
  }
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
