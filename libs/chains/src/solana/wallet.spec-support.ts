import { createPrivateKey, sign } from 'node:crypto';

import {
  AddressLookupTableAccount,
  Keypair,
  MessageV0,
  PublicKey,
  Transaction,
  TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';

import type { StartedNode } from '../sandbox/solana/solana-node.spec-support.js';

import { encodeBase58 } from './base58.js';
import { TOKEN_PROGRAM, tokenAccountOf, transferInstructions } from './token-programs.js';

const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const PLAIN_TRANSFER = 3;
const COMPUTE_UNIT_LIMIT_BIT = 4;
const LOADED_DATA_LIMIT_BIT = 8;

export type Version = 'legacy' | 0 | 1;

export const newOwner = (): string => Keypair.generate().publicKey.toBase58();
const key = (
  address: string,
  isWritable = false,
  isSigner = false,
): { pubkey: PublicKey; isWritable: boolean; isSigner: boolean } => ({
  pubkey: new PublicKey(address),
  isWritable,
  isSigner,
});

export class Wallet {
  private constructor(
    readonly node: StartedNode,
    readonly keys: Keypair,
  ) {}

  static async of(
    node: StartedNode,
    tokens: readonly { readonly mint: string; readonly minor: bigint }[] = [],
  ): Promise<Wallet> {
    const wallet = new Wallet(node, Keypair.generate());
    await node.hands.fuel(wallet.owner);
    for (const { mint, minor } of tokens)
      await node.hands.ask('sandbox_give', { owner: wallet.owner, mint, amountMinor: String(minor) });
    return wallet;
  }

  get owner(): string {
    return this.keys.publicKey.toBase58();
  }

  /** Makes the recipient's account if missing. */
  checked(
    mint: string,
    to: string,
    amountMinor: bigint,
    more: { program?: string; decimals?: number; from?: string } = {},
  ): TransactionInstruction[] {
    return transferInstructions(
      { mint, program: TOKEN_PROGRAM, decimals: 6, from: this.owner, to, amountMinor, ...more },
      this.owner,
    );
  }

  /** Names neither mint nor decimals. */
  plain(from: string, to: string, amountMinor: bigint): TransactionInstruction {
    const data = Buffer.alloc(9);
    data.writeUInt8(PLAIN_TRANSFER, 0);
    data.writeBigUInt64LE(amountMinor, 1);
    return new TransactionInstruction({
      programId: new PublicKey(TOKEN_PROGRAM),
      keys: [key(from, true), key(to, true), key(this.owner, false, true)],
      data,
    });
  }

  memo(text: string): TransactionInstruction {
    return new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM),
      keys: [key(this.owner, false, true)],
      data: Buffer.from(text),
    });
  }

  accountOf(mint: string, program = TOKEN_PROGRAM): string {
    return tokenAccountOf(this.owner, mint, program);
  }

  /** Returns signatures; the first is the id. */
  async send(
    instructions: readonly TransactionInstruction[],
    options: {
      version?: Version;
      others?: readonly Keypair[];
      byTable?: readonly string[];
      skipPreflight?: boolean;
    } = {},
  ): Promise<string[]> {
    const { version = 'legacy', others = [], byTable = [], skipPreflight = false } = options;
    const { value } = await this.node.ask<{ value: { blockhash: string } }>('getLatestBlockhash', {
      commitment: 'confirmed',
    });
    const signers = [this.keys, ...others];
    const { raw, signatures } = await this.sign(instructions, {
      version,
      signers,
      blockhash: value.blockhash,
      byTable,
    });
    await this.node.ask('sendTransaction', Buffer.from(raw).toString('base64'), { encoding: 'base64', skipPreflight });
    return signatures;
  }

  private async sign(
    instructions: readonly TransactionInstruction[],
    {
      version,
      signers,
      blockhash,
      byTable,
    }: { version: Version; signers: readonly Keypair[]; blockhash: string; byTable: readonly string[] },
  ): Promise<{ raw: Uint8Array; signatures: string[] }> {
    if (version === 'legacy') {
      const transaction = new Transaction({ feePayer: this.keys.publicKey, recentBlockhash: blockhash }).add(
        ...instructions,
      );
      transaction.sign(...signers);
      return {
        raw: transaction.serialize(),
        signatures: transaction.signatures.map(({ signature }) => encodeBase58(signature!)),
      };
    }
    const addressLookupTableAccounts = byTable.length === 0 ? [] : [await this.table(byTable)];
    const message = MessageV0.compile({
      payerKey: this.keys.publicKey,
      instructions: [...instructions],
      recentBlockhash: blockhash,
      addressLookupTableAccounts,
    });
    if (version === 1) return signVersion1(message, signers);
    const transaction = new VersionedTransaction(message);
    transaction.sign([...signers]);
    return { raw: transaction.serialize(), signatures: transaction.signatures.map(encodeBase58) };
  }

  /** A lookup table on the chain. */
  private async table(addresses: readonly string[]): Promise<AddressLookupTableAccount> {
    const at = newOwner();
    const head = Buffer.alloc(56);
    head.writeUInt32LE(1, 0);
    head.writeBigUInt64LE(2n ** 64n - 1n, 4);
    const data = Buffer.concat([head, ...addresses.map((address) => new PublicKey(address).toBuffer())]);
    await this.node.ask('sandbox_setAccount', at, {
      lamports: '10000000',
      owner: TABLE_PROGRAM,
      data: data.toString('base64'),
    });
    const state = {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: addresses.map((address) => new PublicKey(address)),
    };
    return new AddressLookupTableAccount({ key: new PublicKey(at), state });
  }
}

/** The library cannot write version 1. */
function signVersion1(
  { header, recentBlockhash, compiledInstructions, staticAccountKeys }: MessageV0,
  signers: readonly Keypair[],
): { raw: Uint8Array; signatures: string[] } {
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const message = Buffer.concat([
    Buffer.from([
      0x81,
      header.numRequiredSignatures,
      header.numReadonlySignedAccounts,
      header.numReadonlyUnsignedAccounts,
    ]),
    u32(COMPUTE_UNIT_LIMIT_BIT | LOADED_DATA_LIMIT_BIT),
    new PublicKey(recentBlockhash).toBuffer(),
    Buffer.from([compiledInstructions.length, staticAccountKeys.length]),
    ...staticAccountKeys.map((one) => one.toBuffer()),
    u32(400_000),
    u32(1_000_000),
    ...compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) =>
      Buffer.from([programIdIndex, accountKeyIndexes.length, data.length & 255, data.length >> 8]),
    ),
    ...compiledInstructions.flatMap(({ accountKeyIndexes, data }) => [
      Buffer.from(accountKeyIndexes),
      Buffer.from(data),
    ]),
  ]);
  const signatures = staticAccountKeys.slice(0, header.numRequiredSignatures).map((one) => {
    const signer = signers.find(({ publicKey }) => publicKey.equals(one))!;
    return sign(
      null,
      message,
      createPrivateKey({
        key: Buffer.concat([ED25519_PKCS8, signer.secretKey.subarray(0, 32)]),
        format: 'der',
        type: 'pkcs8',
      }),
    );
  });
  return { raw: Buffer.concat([message, ...signatures]), signatures: signatures.map(encodeBase58) };
}
