import { isSolanaAddress, readTransactionId, type SolanaChain } from '@vuka/domain';

import { decodeBase58 } from '../../solana/base58.js';
import { tokenAmount } from './machine.js';
import {
  BLOCK_NOT_AVAILABLE,
  CONTEXT_NOT_REACHED,
  countParam,
  invalid,
  objectParam,
  PREFLIGHT_FAILURE,
  RpcFault,
  SIGNATURE_FAILURE,
  textParam,
  UNSUPPORTED_VERSION,
  type Methods,
  type Params,
} from './rpc-fault.js';
import { BLOCKHASH_BLOCKS, isExecuted, type Commitment, type Included, type SandboxLedger } from './sandbox-ledger.js';
import { decimalsOf, holdingOf } from './token-accounts.js';
import { viewOf, type Encoding } from './transaction-view.js';
import { takeApart, type WireTransaction } from './wire-transaction.js';

const MOST_SIGNATURES = 1_000;
const MOST_STATUSES = 256;
const MOST_ACCOUNTS = 100;
/** Bytes, version 1. */
const LONGEST_TRANSACTION = 4_096;
const ENCODINGS: ReadonlySet<unknown> = new Set(['json', 'jsonParsed', 'base64', 'base58']);

/** The JSON-RPC that wallets and readers need. Balances are of the newest slot, for any commitment. */
export function chainMethods(chain: SolanaChain, ledger: SandboxLedger): Methods {
  const context = (commitment: Commitment = 'finalized'): { slot: number } => ({ slot: ledger.slotAt(commitment) });
  const view = new LedgerView(ledger);
  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '3.0.0-sandbox', 'feature-set': 0 }),
    getGenesisHash: () => chain.genesisHash,
    getSlot: ([config]) => ledger.slotAt(commitmentIn(config)),
    getBlockHeight: ([config]) => ledger.heightOf(ledger.slotAt(commitmentIn(config))),
    getFirstAvailableBlock: () => 0,
    getBlockTime: ([slot]) => Math.floor(ledger.timeOf(knownSlot(ledger, slot, 'processed')) / 1_000),
    getBlock: (params) => view.block(params),
    getTransaction: (params) => view.transaction(params),
    getSignatureStatuses: ([signatures]) => ({ context: context('processed'), value: view.statuses(signatures) }),
    getSignaturesForAddress: (params) => view.signatures(params),
    getLatestBlockhash: ([config]) => {
      const slot = ledger.slotAt(commitmentIn(config));
      return {
        context: { slot },
        value: { blockhash: ledger.blockhash(slot), lastValidBlockHeight: ledger.heightOf(slot) + BLOCKHASH_BLOCKS },
      };
    },
    isBlockhashValid: ([hash, config]) => ({
      context: context(commitmentIn(config)),
      value: ledger.slotOfBlockhash(textParam(hash, 'blockhash'), commitmentIn(config)) !== undefined,
    }),
    getBalance: ([address, config]) => ({
      context: context(commitmentIn(config)),
      value: Number(ledger.account(addressParam(address))?.lamports ?? 0),
    }),
    getAccountInfo: ([address, config]) => ({
      context: context(commitmentIn(config)),
      value: view.account(addressParam(address)),
    }),
    getMultipleAccounts: ([addresses, config]) => view.accounts(addresses, config),
    getMinimumBalanceForRentExemption: ([bytes]) => (128 + countParam(bytes, 'data length', 0, 10_485_760)) * 6_960,
    getTokenAccountBalance: ([address, config]) => ({
      context: context(commitmentIn(config)),
      value: view.tokenBalance(addressParam(address)),
    }),
    sendTransaction: (params) => send(ledger, params),
  };
}

class LedgerView {
  constructor(private readonly ledger: SandboxLedger) {}

  transaction([signature, more]: Params): unknown {
    const { encoding, version: most, commitment } = readConfig(more);
    const included = this.ledger.transaction(signatureParam(signature));
    if (included === undefined || included.slot > this.ledger.slotAt(commitment)) return null;
    return { blockTime: this.timeOf(included.slot), slot: included.slot, ...versioned(included, encoding, most) };
  }

  block([slot, more]: Params): unknown {
    const { encoding, version: most, commitment, details } = readConfig(more);
    const number = knownSlot(this.ledger, slot, commitment);
    const transactions = this.ledger.transactionsIn(number);
    return {
      blockhash: this.ledger.blockhash(number),
      previousBlockhash: this.ledger.blockhash(number - 1),
      parentSlot: number - 1,
      blockHeight: this.ledger.heightOf(number),
      blockTime: this.timeOf(number),
      ...(details === 'full' && { transactions: transactions.map((one) => versioned(one, encoding, most)) }),
      ...(details === 'signatures' && { signatures: transactions.map((one) => one.signature) }),
    };
  }

  statuses(signatures: unknown): unknown {
    if (!Array.isArray(signatures) || signatures.length > MOST_STATUSES) return invalid('too many signatures');
    return signatures.map((signature) => {
      const included = this.ledger.transaction(signatureParam(signature));
      if (included === undefined) return null;
      const { slot, err } = included;
      const isFinal = this.isFinal(included);
      return {
        slot,
        confirmations: isFinal ? null : this.ledger.slotAt('processed') - slot,
        err,
        status: err === null ? { Ok: null } : { Err: err },
        confirmationStatus: isFinal ? 'finalized' : 'confirmed',
      };
    });
  }

  /** Newest first. */
  signatures([address, more]: Params): unknown {
    const { limit = MOST_SIGNATURES, before, until, minContextSlot: least } = objectParam(more);
    const newest = this.ledger.slotAt(readConfig(more).commitment);
    if (typeof least === 'number' && least > newest)
      throw new RpcFault(CONTEXT_NOT_REACHED, 'Minimum context slot has not been reached', { contextSlot: newest });
    const all = this.ledger
      .transactionsOf(addressParam(address))
      .filter(({ slot }) => slot <= newest)
      .reverse();
    const from =
      before === undefined || before === null ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
    if (from === 0 && typeof before === 'string') return [];
    const end = all.findIndex(({ signature }) => signature === until);
    return all
      .slice(from, end < 0 ? undefined : end)
      .slice(0, countParam(limit, 'limit', 1, MOST_SIGNATURES))
      .map((included) => ({
        signature: included.signature,
        slot: included.slot,
        err: included.err,
        memo: null,
        blockTime: this.timeOf(included.slot),
        confirmationStatus: this.isFinal(included) ? 'finalized' : 'confirmed',
      }));
  }

  accounts(addresses: unknown, config: unknown): unknown {
    if (!Array.isArray(addresses) || addresses.length > MOST_ACCOUNTS)
      return invalid(`Too many inputs provided; max ${String(MOST_ACCOUNTS)}`);
    const slot = this.ledger.slotAt(commitmentIn(config));
    const { minContextSlot: least } = objectParam(config);
    if (typeof least === 'number' && least > slot)
      throw new RpcFault(CONTEXT_NOT_REACHED, 'Minimum context slot has not been reached', { contextSlot: slot });
    return { context: { slot }, value: addresses.map((address) => this.account(addressParam(address))) };
  }

  account(address: string): unknown {
    const state = this.ledger.account(address);
    if (state === undefined) return null;
    return {
      lamports: Number(state.lamports),
      owner: state.owner,
      data: [state.data, 'base64'],
      executable: state.executable === true,
      rentEpoch: 0,
      space: Buffer.from(state.data, 'base64').length,
    };
  }

  tokenBalance(address: string): unknown {
    const holding = holdingOf(this.ledger.account(address));
    if (holding === undefined) return invalid('could not find account');
    return tokenAmount(holding.amount, decimalsOf(this.ledger.account(holding.mint)));
  }

  private isFinal({ slot }: Included): boolean {
    return slot <= this.ledger.slotAt('finalized');
  }

  private timeOf(slot: number): number {
    return Math.floor(this.ledger.timeOf(slot) / 1_000);
  }
}

/** With preflight, as a validator; a refused transaction leaves no trace. */
function send(ledger: SandboxLedger, [text, more]: Params): string {
  const { encoding = 'base58', skipPreflight } = objectParam(more);
  const transaction = wireParam(textParam(text, 'transaction'), encoding);
  const [signature] = transaction.signatures;
  const refuse = (reason: string, err: unknown, logs: readonly string[] = []): string => {
    if (skipPreflight === true) return signature;
    throw new RpcFault(PREFLIGHT_FAILURE, `Transaction simulation failed: ${reason}`, { err, logs });
  };
  if (ledger.transaction(signature) !== undefined)
    return refuse('This transaction has already been processed', 'AlreadyProcessed');
  if (ledger.slotOfBlockhash(transaction.message.recentBlockhash) === undefined)
    return refuse('Blockhash not found', 'BlockhashNotFound');
  if (ledger.isStalled) {
    ledger.wait(transaction, true);
    return signature;
  }
  const { err, logs } = ledger.execute(transaction, true, (execution) =>
    skipPreflight === true ? isExecuted(execution) : execution.err === null,
  );
  if (err === 'SignatureFailure') throw new RpcFault(SIGNATURE_FAILURE, 'Transaction signature verification failure');
  return err === null
    ? signature
    : refuse(
        typeof err === 'string' ? err : `Error processing Instruction ${String(err.InstructionError[0])}`,
        err,
        logs,
      );
}

function wireParam(text: string, encoding: unknown): WireTransaction {
  const bytes = encoding === 'base64' ? Buffer.from(text, 'base64') : decodeBase58(text);
  if (bytes === null || bytes.length > LONGEST_TRANSACTION)
    return invalid('the transaction is too large, or not written as its encoding has it');
  try {
    return takeApart(bytes);
  } catch {
    return invalid('failed to deserialize the transaction');
  }
}

function versioned(
  included: Included,
  encoding: Encoding,
  most: number | undefined,
): Readonly<Record<string, unknown>> {
  const { version } = takeApart(Buffer.from(included.raw, 'base64'));
  if (version !== 'legacy' && (most === undefined || most < version)) {
    throw new RpcFault(
      UNSUPPORTED_VERSION,
      `Transaction version (${String(version)}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${String(version)}`,
    );
  }
  return { ...viewOf(included, encoding), ...(most !== undefined && { version }) };
}

interface ReadConfig {
  readonly encoding: Encoding;
  readonly version: number | undefined;
  readonly commitment: Commitment;
  readonly details: unknown;
}

/** May be only an encoding. */
function readConfig(more: unknown): ReadConfig {
  const config = typeof more === 'string' ? { encoding: more } : objectParam(more);
  const { encoding = 'json', maxSupportedTransactionVersion: version, transactionDetails: details = 'full' } = config;
  const commitment = commitmentIn(config);
  if (commitment === 'processed') return invalid('Method does not support commitment below `confirmed`');
  if (!ENCODINGS.has(encoding)) return invalid('unknown encoding');
  return {
    encoding: encoding as Encoding,
    version:
      version === undefined || version === null
        ? undefined
        : countParam(version, 'maxSupportedTransactionVersion', 0, 255),
    commitment,
    details,
  };
}

function commitmentIn(config: unknown): Commitment {
  const { commitment = 'finalized' } = typeof config === 'string' ? {} : objectParam(config);
  return commitment === 'processed' || commitment === 'confirmed' || commitment === 'finalized'
    ? commitment
    : invalid('unknown commitment');
}

function knownSlot(ledger: SandboxLedger, slot: unknown, commitment: Commitment): number {
  const number = countParam(slot, 'slot', 1, Number.MAX_SAFE_INTEGER);
  if (number > ledger.slotAt(commitment))
    throw new RpcFault(BLOCK_NOT_AVAILABLE, `Block not available for slot ${String(number)}`);
  return number;
}

function addressParam(value: unknown): string {
  const address = textParam(value, 'address');
  return isSolanaAddress(address) ? address : invalid('Invalid param: WrongSize');
}

function signatureParam(value: unknown): string {
  return readTransactionId('solana', textParam(value, 'signature')) ?? invalid('Invalid param: WrongSize');
}
