import type { UnsignedTransfer } from '../outgoing.js';
import { RpcError } from '../reader/endpoint-client.js';
import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';

import { departuresSince, type Departures } from './wallet-departures.js';
import { SolanaEndpoint } from './solana-endpoint.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './token-programs.js';
import { addressAt, countAt, listAt, UnreadableError, type TransactionFacts } from './transaction.js';

export interface Purse {
  readonly tokenMinor: bigint;
  readonly feeMinor: bigint;
}

/** `rentMinor`: if a token account must be made. */
export interface Recipient {
  readonly rentMinor: bigint;
  /** Why money would not arrive, or be lost. */
  readonly objection: string | null;
}

const BASE64 = { encoding: 'base64', commitment: 'confirmed' } as const;
const AMOUNT_AT = 64;
const STATE_AT = 108;
const ACCOUNT_BYTES = 165;
const FROZEN = 2;
const SIGNATURE_BYTES = 64;
/** Possible Token-2022 extensions. */
const EXTENSION_BYTES = 32;

interface Account {
  readonly program: string;
  readonly isExecutable: boolean;
  readonly lamports: bigint;
  readonly data: Buffer;
}

/** Rejects with RpcError and MalformedAnswerError. */
export class OutgoingEndpoint extends SolanaEndpoint {
  async blockhash(): Promise<string> {
    return addressAt(
      objectAt((await this.answer('getLatestBlockhash', { commitment: 'confirmed' }))['value'], 'latest blockhash')[
        'blockhash'
      ],
      'latest blockhash',
    );
  }

  /** A height while the blockhash was usable; null: not usable. */
  async heightWith(blockhash: string): Promise<number | null> {
    const { value, context } = await this.answer('isBlockhashValid', blockhash, { commitment: 'confirmed' });
    // Several machines share one address: require the first one's slot.
    return value === true
      ? this.height('confirmed', countAt(objectAt(context, 'context')['slot'], 'context.slot'))
      : null;
  }

  async purse(owner: string, tokenAccount: string): Promise<Purse> {
    const [tokens, coins] = await Promise.all([this.account(tokenAccount), this.account(owner)]);
    return { tokenMinor: tokens === null ? 0n : holdingIn(tokens), feeMinor: coins?.lamports ?? 0n };
  }

  async recipient(owner: string, tokenAccount: string): Promise<Recipient> {
    const [who, account] = await Promise.all([this.account(owner), this.account(tokenAccount)]);
    const rentMinor =
      account === null
        ? BigInt(
            countAt(
              await this.parts.client.call('getMinimumBalanceForRentExemption', [ACCOUNT_BYTES + EXTENSION_BYTES]),
              'rent',
            ),
          )
        : 0n;
    return { rentMinor, objection: objectionTo(who, account) };
  }

  /**
   * True only if final state passed `lastHeight`, and a state at least as new has no such transaction.
   * Sequential, because several machines may answer.
   */
  async isGone(transactionId: string | null, lastHeight: number): Promise<boolean> {
    const { client } = this.parts;
    const finalized = countAt(await client.call('getSlot', [{ commitment: 'finalized' }]), 'slot');
    if ((await this.height('finalized', finalized)) <= lastHeight) return false;
    if (transactionId === null) return true;
    const answer = await this.answer('getSignatureStatuses', [transactionId], { searchTransactionHistory: true });
    const [status] = listAt(answer['value'], 'signature statuses');
    const reached = countAt(objectAt(answer['context'], 'context')['slot'], 'context.slot');
    if (status === undefined || reached < finalized) throw new MalformedAnswerError('signature statuses');
    return status === null && (await this.transaction(transactionId, new Map(), 'finalized')) === undefined;
  }

  /** `target`: the recipient's token account. */
  async departures(
    { from, token, amountMinor, payload }: Pick<UnsignedTransfer, 'from' | 'token' | 'amountMinor' | 'payload'>,
    target: string,
    sinceMs: number,
  ): Promise<Departures> {
    const reached = countAt(await this.parts.client.call('getSlot', [{ commitment: 'finalized' }]), 'slot');
    const accounts = new Map([[target, token]]);
    return departuresSince(
      {
        signatures: (before, limit, minContextSlot) =>
          this.parts.client.call('getSignaturesForAddress', [
            from,
            { commitment: 'finalized', limit, minContextSlot, ...(before !== null && { before }) },
          ]),
        compare: async (signature) => {
          const facts = await this.readable(signature, accounts);
          if (facts === undefined) return 'forgotten';
          if (
            !facts.transfers.some(
              (one) => one.from === from && one.token === token && one.value === BigInt(amountMinor),
            )
          )
            return 'other';
          return (await this.messageOf(signature)) === payload ? 'itself' : 'alike';
        },
        remembers: (since) => this.remembers(since),
      },
      sinceMs,
      reached,
    );
  }

  /** Also refused if the node has it already. */
  async send(raw: string): Promise<'given' | 'refused'> {
    try {
      await this.parts.client.call('sendTransaction', [raw, { encoding: 'base64', preflightCommitment: 'confirmed' }]);
      return 'given';
    } catch (error) {
      if (error instanceof RpcError && error.trouble === 'refused') return 'refused';
      throw error;
    }
  }

  /** undefined: not readable. */
  private async readable(
    signature: string,
    accounts: ReadonlyMap<string, string>,
  ): Promise<TransactionFacts | undefined> {
    try {
      return await this.transaction(signature, accounts, 'finalized');
    } catch (error) {
      if (error instanceof UnreadableError) return undefined;
      throw error;
    }
  }

  /** null unless there is exactly one signature. */
  private async messageOf(signature: string): Promise<string | null> {
    const told = await this.parts.client.call('getTransaction', [
      signature,
      { encoding: 'base64', commitment: 'finalized', maxSupportedTransactionVersion: 0 },
    ]);
    const [raw] = listAt(objectAt(told, 'transaction')['transaction'], 'transaction.transaction');
    if (typeof raw !== 'string') throw new MalformedAnswerError('transaction.transaction');
    const bytes = Buffer.from(raw, 'base64');
    return bytes[0] === 1 ? bytes.subarray(1 + SIGNATURE_BYTES).toString('base64') : null;
  }

  private async remembers(sinceMs: number): Promise<boolean> {
    try {
      const first = countAt(await this.parts.client.call('getFirstAvailableBlock', []), 'first available block');
      const timeMs = first === 0 ? null : await this.timeAt(first);
      return first === 0 || (timeMs !== null && timeMs < sinceMs);
    } catch (error) {
      if (error instanceof RpcError && error.trouble === 'refused') return false;
      throw error;
    }
  }

  private async answer(method: string, ...params: readonly unknown[]): Promise<JsonObject> {
    return objectAt(await this.parts.client.call(method, params), 'answer');
  }

  private async height(commitment: 'confirmed' | 'finalized', minContextSlot?: number): Promise<number> {
    return countAt(
      await this.parts.client.call('getBlockHeight', [
        { commitment, ...(minContextSlot !== undefined && { minContextSlot }) },
      ]),
      'block height',
    );
  }

  private async account(address: string): Promise<Account | null> {
    const { value } = await this.answer('getAccountInfo', address, BASE64);
    return value === null ? null : accountAt(value);
  }
}

function accountAt(value: unknown): Account {
  const told = objectAt(value, 'account');
  const [data] = listAt(told['data'], 'account.data');
  if (typeof data !== 'string' || typeof told['executable'] !== 'boolean') throw new MalformedAnswerError('account');
  return {
    program: addressAt(told['owner'], 'account.owner'),
    isExecutable: told['executable'],
    lamports: BigInt(countAt(told['lamports'], 'account.lamports')),
    data: Buffer.from(data, 'base64'),
  };
}

/** Throws MalformedAnswerError. */
export function holdingOf(value: unknown): bigint {
  return holdingIn(accountAt(value));
}

const isTokens = ({ program }: Account): boolean => program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;

function holdingIn(account: Account): bigint {
  if (!isTokens(account) || account.data.length < ACCOUNT_BYTES) throw new MalformedAnswerError('token account');
  return account.data.readBigUInt64LE(AMOUNT_AT);
}

function objectionTo(who: Account | null, account: Account | null): string | null {
  // Nobody could sign for such an owner.
  if (who !== null && isTokens(who)) return 'the address is a token account or a mint, not the owner of one';
  if (who?.isExecutable === true) return 'the address is a program';
  if (account !== null && (!isTokens(account) || account.data[STATE_AT] === FROZEN))
    return 'the token account of this address is frozen';
  return null;
}
