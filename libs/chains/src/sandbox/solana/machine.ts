import { PublicKey } from '@solana/web3.js';
import type { LiteSVM } from 'litesvm';

import { encodeBase58 } from '../../solana/base58.js';
import { decimalsOf, holdingOf, type AccountState } from './token-accounts.js';
import { allKeys, staticKeys, type LoadedAddresses, type WireTransaction } from './wire-transaction.js';

export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: {
    readonly amount: string;
    readonly decimals: number;
    readonly uiAmount: number | null;
    readonly uiAmountString: string;
  };
}

export interface InnerInstructions {
  readonly index: number;
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: string;
    readonly stackHeight: number;
  }[];
}

/** Has what getTransaction reports, and what undo needs. */
export interface Execution {
  /** As in JSON-RPC: `{"InstructionError":[0,{"Custom":1}]}`. */
  readonly err: TransactionFault | null;
  readonly lamportsPaid: number;
  readonly logs: readonly string[];
  readonly inner: readonly InnerInstructions[];
  readonly computeUnits: number;
  readonly loaded: LoadedAddresses;
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  /** Changed accounts; null: no account. */
  readonly before: Readonly<Record<string, AccountState | null>>;
  readonly after: Readonly<Record<string, AccountState | null>>;
}

/** Text: not executed at all. */
export type TransactionFault =
  string | { readonly InstructionError: readonly [number, string | { readonly Custom: number }] };

type Address = Parameters<LiteSVM['getAccount']>[0];
type Lamports = Parameters<LiteSVM['setAccount']>[0]['lamports'];
type KitTransaction = Parameters<LiteSVM['sendTransaction']>[0];

/** Offset of addresses in a lookup table. */
/** Lamports, from the runtime's text. */
const PAID = /\bfee: (\d+)/;
const TABLE_HEAD_BYTES = 56;
const KEY_BYTES = 32;

/** litesvm, at the newest slot. */
export class Machine {
  private constructor(
    private readonly svm: LiteSVM,
    private readonly failed: abstract new () => unknown,
  ) {}

  /** Throws if litesvm is not installed. */
  static async start(): Promise<Machine> {
    const { LiteSVM, FailedTransactionMetadata } = await import('litesvm').catch((error: unknown) => {
      throw new Error(
        `There is no litesvm here, or none for this machine (npm install, without --omit=dev): ${(error as Error).message}`,
        { cause: error },
      );
    });
    // The node checks blockhashes and duplicates, over restarts too.
    return new Machine(new LiteSVM().withTransactionHistory(0n).withBlockhashCheck(false), FailedTransactionMetadata);
  }

  account(address: string): AccountState | undefined {
    const found = this.svm.getAccount(address as Address);
    if (!found.exists) return undefined;
    const state = { lamports: String(found.lamports), owner: found.programAddress };
    // Code is not read, and would be copied in each transaction.
    return found.executable
      ? { ...state, data: '', executable: true }
      : { ...state, data: Buffer.from(found.data).toString('base64') };
  }

  put(address: string, state: AccountState | null): void {
    const { lamports, owner, data } = state ?? { lamports: '0', owner: PublicKey.default.toBase58(), data: '' };
    const bytes = new Uint8Array(Buffer.from(data, 'base64'));
    this.svm.setAccount({
      address: address as Address,
      lamports: BigInt(lamports) as Lamports,
      programAddress: owner as Address,
      data: bytes,
      executable: false,
      space: BigInt(bytes.length),
    });
  }

  /** `signed` false: missing signatures are accepted. */
  execute(
    transaction: WireTransaction,
    at: { readonly slot: number; readonly timeMs: number },
    signed: boolean,
  ): Execution {
    const loaded = this.lookUp(transaction);
    const keys = allKeys(transaction, loaded);
    const before = this.snapshot(keys);
    this.setTime(at);
    const signatures = Object.fromEntries(
      staticKeys(transaction)
        .slice(0, transaction.signatures.length)
        .map((key, index) => [key, transaction.signatureBytes[index]]),
    );
    const outcome = this.svm
      .withSigverify(signed)
      .sendTransaction({ messageBytes: transaction.messageBytes, signatures } as unknown as KitTransaction);
    const after = this.snapshot(keys);
    const meta = 'meta' in outcome ? outcome.meta() : outcome;
    const changed = keys.filter((_, index) => JSON.stringify(before[index]) !== JSON.stringify(after[index]));
    const statesOf = (states: readonly (AccountState | undefined)[]): Record<string, AccountState | null> =>
      Object.fromEntries(changed.map((key) => [key, states[keys.indexOf(key)] ?? null]));
    return {
      err: outcome instanceof this.failed ? faultIn(String(outcome)) : null,
      lamportsPaid: Number(PAID.exec(String(outcome))?.[1] ?? 0),
      logs: meta.logs(),
      inner: innerOf(meta.innerInstructions()),
      computeUnits: Number(meta.computeUnitsConsumed()),
      loaded,
      preBalances: before.map((state) => Number(state?.lamports ?? 0)),
      postBalances: after.map((state) => Number(state?.lamports ?? 0)),
      preTokenBalances: this.tokenBalances(before),
      postTokenBalances: this.tokenBalances(after),
      before: statesOf(before),
      after: statesOf(after),
    };
  }

  undo({ before }: Pick<Execution, 'before'>): void {
    for (const [address, state] of Object.entries(before)) this.put(address, state);
  }

  private snapshot(keys: readonly string[]): readonly (AccountState | undefined)[] {
    return keys.map((key) => this.account(key));
  }

  private setTime({ slot, timeMs }: { readonly slot: number; readonly timeMs: number }): void {
    const clock = this.svm.getClock();
    clock.slot = BigInt(slot);
    clock.unixTimestamp = BigInt(Math.floor(timeMs / 1_000));
    this.svm.setClock(clock);
  }

  private lookUp({ message }: WireTransaction): LoadedAddresses {
    const named = (pick: 'writableIndexes' | 'readonlyIndexes'): string[] =>
      message.addressTableLookups.flatMap((lookup) => {
        const table = Buffer.from(this.account(lookup.accountKey.toBase58())?.data ?? '', 'base64').subarray(
          TABLE_HEAD_BYTES,
        );
        // The runtime refuses indexes outside the table.
        return lookup[pick]
          .filter((index) => (index + 1) * KEY_BYTES <= table.length)
          .map((index) => encodeBase58(table.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES)));
      });
    return { writable: named('writableIndexes'), readonly: named('readonlyIndexes') };
  }

  private tokenBalances(states: readonly (AccountState | undefined)[]): TokenBalance[] {
    return states.flatMap((state, accountIndex) => {
      const holding = holdingOf(state);
      if (holding === undefined || state === undefined) return [];
      const { mint, owner, amount } = holding;
      return [
        {
          accountIndex,
          mint,
          owner,
          programId: state.owner,
          uiTokenAmount: tokenAmount(amount, decimalsOf(this.account(mint))),
        },
      ];
    });
  }
}

export function tokenAmount(amount: bigint, decimals: number): TokenBalance['uiTokenAmount'] {
  const digits = String(amount).padStart(decimals + 1, '0');
  const text =
    decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
  return { amount: String(amount), decimals, uiAmount: amount === 0n ? null : Number(text), uiAmountString: text };
}

/** litesvm exposes errors only as text. */
function faultIn(text: string): TransactionFault {
  const [, index, name = 'GenericError', custom] = /err: InstructionError\((\d+), (\w+)(?:\((\d+)\))?/.exec(text) ?? [];
  if (index === undefined) return /err: (\w+)/.exec(text)?.[1] ?? 'ClusterMaintenance';
  return { InstructionError: [Number(index), name === 'Custom' ? { Custom: Number(custom) } : name] };
}

function innerOf(
  told: readonly (readonly {
    instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
    stackHeight(): number;
  }[])[],
): InnerInstructions[] {
  return told.flatMap((instructions, index) =>
    instructions.length === 0
      ? []
      : [
          {
            index,
            instructions: instructions.map((inner) => {
              const { programIdIndex, accounts, data } = {
                programIdIndex: inner.instruction().programIdIndex(),
                accounts: inner.instruction().accounts(),
                data: inner.instruction().data(),
              };
              return {
                programIdIndex,
                accounts: [...accounts],
                data: encodeBase58(data),
                stackHeight: inner.stackHeight(),
              };
            }),
          },
        ],
  );
}
