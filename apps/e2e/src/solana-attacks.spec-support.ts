import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

import type { SandboxSolana } from '@vuka/chains';
import { fromBase58, toBase58, TOKEN_PROGRAM, tokenAccountOf } from '@vuka/testing';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const ACCOUNT_BYTES = 165;
/** Instruction numbers of the system and token programs. */
const CREATE_ACCOUNT = 0;
const TRANSFER_CHECKED = 12;
const INITIALIZE_ACCOUNT_3 = 18;
const DECIMALS = 6;

interface Signer {
  readonly address: string;
  readonly key: KeyObject;
}

interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
}

/** Builds and signs its transactions byte by byte, without our libraries. */
export class SolanaStranger {
  private readonly self = newSigner();

  constructor(
    private readonly solana: SandboxSolana,
    private readonly mint: string,
  ) {}

  /** Sends to a token account owned by the recipient that is not its derived (associated) one. */
  async toAnotherAccount(owner: string, amountMinor: bigint): Promise<string> {
    const { self, mint } = this;
    const account = newSigner();
    await this.equip(amountMinor);
    const lamports = BigInt(await this.solana.ask<number>('getMinimumBalanceForRentExemption', ACCOUNT_BYTES));
    const create = Buffer.concat([
      u32(CREATE_ACCOUNT),
      u64(lamports),
      u64(BigInt(ACCOUNT_BYTES)),
      fromBase58(TOKEN_PROGRAM),
    ]);
    return this.send(
      [
        { program: SYSTEM_PROGRAM, accounts: [self.address, account.address], data: create },
        {
          program: TOKEN_PROGRAM,
          accounts: [account.address, mint],
          data: Buffer.concat([Buffer.from([INITIALIZE_ACCOUNT_3]), fromBase58(owner)]),
        },
        this.transfer(account.address, amountMinor),
      ],
      [self, account],
    );
  }

  async failing(owner: string, amountMinor: bigint): Promise<string> {
    await this.equip(1n);
    return this.send([this.transfer(tokenAccountOf(owner, this.mint), amountMinor)], [this.self]);
  }

  private async equip(amountMinor: bigint): Promise<void> {
    await this.solana.fuel(this.self.address);
    await this.solana.ask('sandbox_give', {
      owner: this.self.address,
      mint: this.mint,
      amountMinor: String(amountMinor),
    });
  }

  private transfer(to: string, amountMinor: bigint): Instruction {
    const {
      self: { address },
      mint,
    } = this;
    const data = Buffer.concat([Buffer.from([TRANSFER_CHECKED]), u64(amountMinor), Buffer.from([DECIMALS])]);
    return { program: TOKEN_PROGRAM, accounts: [tokenAccountOf(address, mint), mint, to, address], data };
  }

  private async send(instructions: readonly Instruction[], signers: readonly Signer[]): Promise<string> {
    const { value } = await this.solana.ask<{ value: { blockhash: string } }>('getLatestBlockhash', {
      commitment: 'confirmed',
    });
    const message = messageOf(
      instructions,
      signers.map(({ address }) => address),
      value.blockhash,
    );
    const raw = Buffer.concat([
      Buffer.from([signers.length]),
      ...signers.map(({ key }) => sign(null, message, key)),
      message,
    ]);
    return this.solana.ask<string>('sendTransaction', raw.toString('base64'), {
      encoding: 'base64',
      skipPreflight: true,
    });
  }
}

/** A legacy message: signers first, read-only programs last, all others writable. */
function messageOf(instructions: readonly Instruction[], signers: readonly string[], blockhash: string): Buffer {
  const programs = [...new Set(instructions.map(({ program }) => program))];
  const keys = [...new Set([...signers, ...instructions.flatMap(({ accounts }) => accounts), ...programs])];
  const place = (key: string): number => keys.indexOf(key);
  const compiled = instructions.map(({ program, accounts, data }) =>
    Buffer.concat([Buffer.from([place(program), accounts.length, ...accounts.map(place), data.length]), data]),
  );
  return Buffer.concat([
    Buffer.from([signers.length, 0, programs.length, keys.length]),
    ...keys.map(fromBase58),
    fromBase58(blockhash),
    Buffer.from([instructions.length]),
    ...compiled,
  ]);
}

function newSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { address: toBase58(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)), key: privateKey };
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
