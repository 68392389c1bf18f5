import { TransactionBuilder, xdr } from '@stellar/stellar-sdk';
import { answerWithin } from '@vuka/runtime';

import { includedBody, problemBody, refusedBody, type Answer } from './horizon-answers.js';
import type { Codes, Envelope } from './ledger/apply-transaction.js';
import type { Ending, StellarLedger, Submission } from './ledger/stellar-ledger.js';
import { hashOf } from './ledger/stored-transaction.js';

/** Horizon's is 55 s. */
const LONGEST_WAIT_MS = 20_000;
const RESULT_CODE = /_([a-z])/g;

/** `tx`: envelope XDR, base64. */
export async function answerSubmission(
  path: string,
  tx: string,
  ledger: StellarLedger,
  networkPassphrase: string,
): Promise<Answer> {
  if (path !== '/transactions' && path !== '/transactions_async')
    return { status: 404, body: problemBody('not_found', 'Resource Missing', 404) };
  const envelope = envelopeOf(tx, networkPassphrase);
  if (envelope === undefined)
    return {
      status: 400,
      body: problemBody('transaction_malformed', 'Transaction Malformed', 400, { extras: { envelope_xdr: tx } }),
    };
  const submission = ledger.submit(envelope, true);
  return path === '/transactions' ? whenIncluded(submission, tx) : atOnce(submission, hashOf(envelope));
}

async function whenIncluded(submission: Submission, tx: string): Promise<Answer> {
  switch (submission.kind) {
    case 'invalid':
      return { status: 400, body: refusedBody(tx, submission.codes) };
    case 'busy':
      return { status: 503, body: problemBody('server_over_capacity', 'Server Over Capacity', 503) };
    case 'known':
      return answerOf({ ok: true, transaction: submission.transaction }, tx);
    default: {
      const ending = await answerWithin(LONGEST_WAIT_MS, submission.ends, undefined);
      return ending === undefined
        ? { status: 504, body: problemBody('timeout', 'Timeout', 504) }
        : answerOf(ending, tx);
    }
  }
}

function answerOf(ending: Ending, tx: string): Answer {
  if (!ending.ok) return { status: 400, body: refusedBody(tx, ending.codes) };
  const { transaction } = ending;
  return transaction.successful
    ? { status: 200, body: includedBody(transaction) }
    : { status: 400, body: refusedBody(tx, transaction.codes) };
}

/** As core, before any ledger. */
function atOnce(submission: Submission, hash: string): Answer {
  switch (submission.kind) {
    case 'taken':
      return { status: 201, body: { tx_status: 'PENDING', hash } };
    case 'waiting':
      return { status: 409, body: { tx_status: 'DUPLICATE', hash } };
    case 'busy':
      return { status: 503, body: { tx_status: 'TRY_AGAIN_LATER', hash } };
    case 'known':
      return {
        status: 400,
        body: { tx_status: 'ERROR', hash, error_result_xdr: resultXdr({ transaction: 'tx_bad_seq' }) },
      };
    case 'invalid':
      return { status: 400, body: { tx_status: 'ERROR', hash, error_result_xdr: resultXdr(submission.codes) } };
  }
}

/** Only the code; details are in the JSON. */
function resultXdr({ transaction }: Codes): string {
  const name = transaction.replace(RESULT_CODE, (_, letter: string) => letter.toUpperCase());
  const simple: Readonly<Record<string, () => xdr.TransactionResultResult>> = {
    txBadSeq: () => xdr.TransactionResultResult.txBadSeq(),
    txTooLate: () => xdr.TransactionResultResult.txTooLate(),
    txTooEarly: () => xdr.TransactionResultResult.txTooEarly(),
    txBadAuth: () => xdr.TransactionResultResult.txBadAuth(),
    txNoSourceAccount: () => xdr.TransactionResultResult.txNoAccount(),
    txInsufficientBalance: () => xdr.TransactionResultResult.txInsufficientBalance(),
    txInsufficientFee: () => xdr.TransactionResultResult.txInsufficientFee(),
    txMissingOperation: () => xdr.TransactionResultResult.txMissingOperation(),
    txFailed: () => xdr.TransactionResultResult.txFailed([]),
  };
  const result = simple[name]?.() ?? xdr.TransactionResultResult.txInternalError();
  return new xdr.TransactionResult({
    feeCharged: xdr.Int64.fromString('0'),
    result,
    ext: new xdr.TransactionResultExt(0),
  }).toXDR('base64');
}

function envelopeOf(tx: string, networkPassphrase: string): Envelope | undefined {
  try {
    return TransactionBuilder.fromXDR(tx, networkPassphrase);
  } catch {
    return undefined;
  }
}
