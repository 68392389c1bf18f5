import { describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { Keypair as StellarKeypair } from '@stellar/stellar-sdk';

import { EVM_TRANSFER_SIGNER } from '../evm/transfer-signer.js';
import { decodeBase58 } from '../solana/base58.js';

import { newRefundKeys } from './refund-keys.js';

describe('the keys of refund wallets', () => {
  it('are new, and those of their addresses by the libraries of their chains', async () => {
    const { evm, solana, stellar } = await newRefundKeys(['evm', 'solana', 'stellar']);
    expect(EVM_TRANSFER_SIGNER.addressOf(evm!.secret)).toEqual({ ok: true, value: evm!.address });
    expect(Keypair.fromSecretKey(decodeBase58(solana!.secret)!).publicKey.toBase58()).toBe(solana!.address);
    expect(StellarKeypair.fromSecret(stellar!.secret).publicKey()).toBe(stellar!.address);
    expect((await newRefundKeys(['evm'])).evm!.secret).not.toBe(evm!.secret);
  });
});
