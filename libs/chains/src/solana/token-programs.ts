import type { Token } from '@vuka/domain';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ATA_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

const TRANSFER_CHECKED = 12;
const CREATE_IDEMPOTENT = 1;

export function programOf({ program }: Pick<Token, 'program'>): string {
  return program === 'token-2022' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
}

/** Associated token account. Throws on an invalid public key. */
export function tokenAccountOf(owner: string, mint: string, program: string): string {
  const seeds = [owner, program, mint].map((address) => new PublicKey(address).toBuffer());
  return PublicKey.findProgramAddressSync(seeds, new PublicKey(ATA_PROGRAM))[0].toBase58();
}

export interface TokenTransfer {
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
  /** Owner, not the token account. */
  readonly from: string;
  readonly to: string;
  readonly amountMinor: bigint;
}

/** Makes the recipient's account if needed; the fee payer pays its rent. Owner and fee payer must sign. */
export function transferInstructions(
  transfer: TokenTransfer,
  feePayer: string,
  makesAccount = true,
): TransactionInstruction[] {
  const { mint, program, decimals, from, to, amountMinor } = transfer;
  const [source, target] = [tokenAccountOf(from, mint, program), tokenAccountOf(to, mint, program)];
  const create = new TransactionInstruction({
    programId: new PublicKey(ATA_PROGRAM),
    keys: [
      key(feePayer, true, true),
      key(target, true),
      key(to),
      key(mint),
      key(SystemProgram.programId.toBase58()),
      key(program),
    ],
    data: Buffer.from([CREATE_IDEMPOTENT]),
  });
  const data = Buffer.alloc(10);
  data.writeUInt8(TRANSFER_CHECKED, 0);
  data.writeBigUInt64LE(amountMinor, 1);
  data.writeUInt8(decimals, 9);
  const move = new TransactionInstruction({
    programId: new PublicKey(program),
    keys: [key(source, true), key(mint), key(target, true), key(from, false, true)],
    data,
  });
  return makesAccount ? [create, move] : [move];
}

function key(
  address: string,
  isWritable = false,
  isSigner = false,
): { pubkey: PublicKey; isWritable: boolean; isSigner: boolean } {
  return { pubkey: new PublicKey(address), isWritable, isSigner };
}
