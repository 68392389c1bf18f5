import { randomInt } from 'node:crypto';

import { isSolanaAddress } from '@vuka/domain';
import { ComputeBudgetProgram, type Keypair, PublicKey, Transaction } from '@solana/web3.js';

import {
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenAccountOf,
  transferInstructions,
} from '../../solana/token-programs.js';
import { countParam, invalid, objectParam, textParam, type Methods } from './rpc-fault.js';
import type { Included, SandboxLedger } from './sandbox-ledger.js';
import {
  decimalsOf,
  holdingOf,
  mintAccount,
  tokenAccount,
  withAmount,
  withholdsFees,
  type AccountState,
  type MintFacts,
} from './token-accounts.js';
import { takeApart } from './wire-transaction.js';

const MOST_SLOTS = 1_000_000;
const PLENTY_OF_LAMPORTS = 10n ** 15n;
const PLENTY_OF_TOKENS = 2n ** 62n;
/** 10 SOL. */
const FULL_PURSE = 10n ** 10n;
const UNLISTED: MintFacts = { program: TOKEN_PROGRAM, decimals: 6 };
const SYSTEM_PROGRAM = PublicKey.default.toBase58();

/** Transfers are real transactions. Owners need no key: the payer signs and pays the fee. */
export function sandboxMethods(ledger: SandboxLedger, payer: Keypair): Methods {
  const hands = new Hands(ledger, payer);
  return {
    sandbox_transfer: ([request]) => hands.transfer(objectParam(request)),
    sandbox_give: ([request]) => hands.give(objectParam(request)),
    sandbox_setMint: ([request]) => hands.setMint(objectParam(request)),
    sandbox_setAccount: ([address, state]) =>
      ledger.put({ [addressIn(address)]: state === null ? null : (objectParam(state) as unknown as AccountState) }),
    sandbox_advance: ([slots]) => ledger.advance(countParam(slots, 'slots', 1, MOST_SLOTS)),
    sandbox_finalize: () => ledger.advance(ledger.blocksToFinality + 1),
    sandbox_stall: ([on]) => ledger.stall(on === true),
    sandbox_stallFinality: ([on]) => ledger.setFinality({ stalled: on === true }),
    sandbox_setFinalityLag: ([slots]) => ledger.setFinality({ lagSlots: countParam(slots, 'slots', 0, MOST_SLOTS) }),
    sandbox_reorg: ([depth]) => hands.reorg(countParam(depth, 'depth', 1, MOST_SLOTS)),
    sandbox_drop: ([signature]) => hands.drop(textParam(signature, 'signature')),
  };
}

type Request = Readonly<Record<string, unknown>>;

class Hands {
  constructor(
    private readonly ledger: SandboxLedger,
    private readonly payer: Keypair,
  ) {}

  /**
   * `{mint, amountMinor, to, from?, finalize?}`; an unknown mint is made with 6 decimals. Slot is null while
   * stalled.
   */
  transfer(request: Request): { readonly hash: string; readonly slot: number | null } {
    const { finalize } = request;
    const payer = this.payer.publicKey.toBase58();
    const [mint, to, from] = [
      addressIn(request['mint']),
      addressIn(request['to']),
      addressIn(request['from'] ?? payer),
    ];
    const amountMinor = amountIn(request['amountMinor']);
    const { program, decimals } = this.mintAt(mint);
    this.hold(from, mint, from === payer && amountMinor < PLENTY_OF_TOKENS ? PLENTY_OF_TOKENS : amountMinor);
    this.fill(payer, PLENTY_OF_LAMPORTS);
    const transaction = new Transaction({
      feePayer: this.payer.publicKey,
      recentBlockhash: this.ledger.blockhash(this.ledger.slotAt('processed')),
    });
    // Makes equal transfers within a slot distinct.
    transaction.add(
      ComputeBudgetProgram.setComputeUnitLimit({ units: randomInt(300_000, 1_400_000) }),
      ...transferInstructions({ mint, program, decimals, from, to, amountMinor }, payer),
    );
    transaction.partialSign(this.payer);
    const wire = takeApart(transaction.serialize({ requireAllSignatures: false, verifySignatures: false }));
    const [hash] = wire.signatures;
    if (this.ledger.transaction(hash) !== undefined) return this.transfer(request);
    if (this.ledger.isStalled) {
      this.ledger.wait(wire, false);
      return { hash, slot: null };
    }
    const { err } = this.ledger.execute(wire, false, (execution) => execution.err === null);
    if (err !== null) return invalid(`the transfer fails: ${JSON.stringify(err)}`);
    const { slot } = this.ledger.transaction(hash) as Included;
    if (finalize === true) this.ledger.advance(this.ledger.blocksToFinality + 1);
    return { hash, slot };
  }

  /** `{owner, mint, amountMinor}`: at least so much, from nothing; `{owner}`: 10 SOL. */
  give(request: Request): { readonly account: string } {
    const owner = addressIn(request['owner']);
    if (request['mint'] === undefined) {
      this.fill(owner, FULL_PURSE);
      return { account: owner };
    }
    return { account: this.hold(owner, addressIn(request['mint']), amountIn(request['amountMinor'])) };
  }

  setMint({ mint, program = TOKEN_PROGRAM, decimals = UNLISTED.decimals, feeBasisPoints }: Request): void {
    if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return invalid('unknown program');
    const facts = {
      program,
      decimals: countParam(decimals, 'decimals', 0, 18),
      ...(feeBasisPoints !== undefined && { feeBasisPoints: countParam(feeBasisPoints, 'feeBasisPoints', 0, 10_000) }),
    };
    this.ledger.put({ [addressIn(mint)]: mintAccount(facts) });
  }

  reorg(depth: number): readonly string[] {
    return this.fork(this.ledger.slotAt('processed') - depth + 1).map(({ signature }) => signature);
  }

  /** Later transactions move to later slots. */
  drop(signature: string): void {
    const dropped = this.ledger.transaction(signature) ?? invalid('there is no such transaction');
    for (const { raw, signature: other } of [...this.fork(dropped.slot)].reverse()) {
      if (other !== signature)
        this.ledger.execute(takeApart(Buffer.from(raw, 'base64')), false, ({ err }) => err === null);
    }
  }

  private fork(fromSlot: number): readonly Included[] {
    if (fromSlot <= this.ledger.slotAt('finalized')) return invalid('what is final stays');
    return this.ledger.fork(fromSlot);
  }

  private mintAt(mint: string): MintFacts {
    const account = this.ledger.account(mint);
    if (account === undefined) this.ledger.put({ [mint]: mintAccount(UNLISTED) });
    else if (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM)
      return invalid(`${mint} is no mint`);
    return account === undefined ? UNLISTED : { program: account.owner, decimals: decimalsOf(account) };
  }

  private hold(owner: string, mint: string, atLeast: bigint): string {
    const { program } = this.mintAt(mint);
    const address = tokenAccountOf(owner, mint, program);
    const account = this.ledger.account(address);
    const has = holdingOf(account)?.amount;
    if (account !== undefined && has !== undefined) {
      if (has < atLeast) this.ledger.put({ [address]: withAmount(account, atLeast) });
      return address;
    }
    const takesFee = withholdsFees(this.ledger.account(mint) ?? mintAccount(UNLISTED));
    this.ledger.put({ [address]: tokenAccount({ mint, owner, amount: atLeast }, program, takesFee) });
    return address;
  }

  private fill(address: string, lamports: bigint): void {
    const account = this.ledger.account(address);
    if (account !== undefined && BigInt(account.lamports) >= lamports / 2n) return;
    this.ledger.put({ [address]: { owner: SYSTEM_PROGRAM, data: '', ...account, lamports: String(lamports) } });
  }
}

function addressIn(value: unknown): string {
  const address = textParam(value, 'address');
  return isSolanaAddress(address) ? address : invalid(`${address.slice(0, 60)} is no address`);
}

function amountIn(value: unknown): bigint {
  const text = textParam(value, 'amountMinor');
  return /^\d{1,19}$/.test(text) && BigInt(text) < 2n ** 63n
    ? BigInt(text)
    : invalid('amountMinor must be a whole number of minor units');
}
