import type { Operation } from '@stellar/stellar-sdk';

import {
  amountText,
  assetName,
  emptyAccount,
  issuerOf,
  minorOf,
  NATIVE,
  partyOf,
  type AccountBook,
} from './accounts.js';
import { contractTransfer } from './contract-transfer.js';
import { assetFields, partyFields } from './horizon-fields.js';
import { give, take } from './move-value.js';
import type { OperationOutcome, OperationSurroundings } from './operation-outcome.js';

/** The only exchange rate: two sent for one received. */
const SENT_FOR_ONE = 2n;
const SUCCESS = 'op_success';

/** Undefined: unknown operation. */
export function applyOperation(
  operation: Operation,
  surroundings: OperationSurroundings,
): OperationOutcome | undefined {
  switch (operation.type) {
    case 'payment':
      return payment(operation, surroundings);
    case 'pathPaymentStrictReceive':
    case 'pathPaymentStrictSend':
      return pathPayment(operation, surroundings);
    case 'createAccount':
      return createAccount(operation, surroundings);
    case 'changeTrust':
      return changeTrust(operation, surroundings);
    case 'createClaimableBalance':
      return claimableBalance(operation, surroundings);
    case 'invokeHostFunction':
      return contractTransfer(operation, surroundings);
    default:
      return undefined;
  }
}

type Of<T extends Operation['type']> = Extract<Operation, { type: T }>;

function payment(operation: Of<'payment'>, { accounts, source }: OperationSurroundings): OperationOutcome {
  const to = partyOf(operation.destination);
  const asset = assetName(operation.asset);
  const value = minorOf(operation.amount) ?? 0n;
  return {
    type: 'payment',
    typeNumber: 1,
    payers: [source.account, to.account],
    code: take(accounts, source.account, asset, value) ?? give(accounts, to.account, asset, value) ?? SUCCESS,
    fields: {
      ...assetFields(asset),
      ...partyFields('from', source),
      ...partyFields('to', to),
      amount: amountText(value),
    },
  };
}

function pathPayment(
  operation: Of<'pathPaymentStrictReceive'> | Of<'pathPaymentStrictSend'>,
  { accounts, source }: OperationSurroundings,
): OperationOutcome {
  const to = partyOf(operation.destination);
  const [sentAsset, asset] = [assetName(operation.sendAsset), assetName(operation.destAsset)];
  const isReceive = operation.type === 'pathPaymentStrictReceive';
  const value = isReceive
    ? (minorOf(operation.destAmount) ?? 0n)
    : (minorOf(operation.sendAmount) ?? 0n) / SENT_FOR_ONE;
  const sent = isReceive ? value * SENT_FOR_ONE : (minorOf(operation.sendAmount) ?? 0n);
  const limit = minorOf(isReceive ? operation.sendMax : operation.destMin) ?? 0n;
  const isBad = isReceive ? sent > limit : value < limit;
  const offLimit = isReceive ? 'op_over_source_max' : 'op_under_dest_min';
  return {
    type: isReceive ? 'path_payment_strict_receive' : 'path_payment_strict_send',
    typeNumber: isReceive ? 2 : 13,
    payers: [source.account, to.account],
    code: isBad
      ? offLimit
      : (take(accounts, source.account, sentAsset, sent) ?? give(accounts, to.account, asset, value) ?? SUCCESS),
    fields: {
      ...assetFields(asset),
      ...partyFields('from', source),
      ...partyFields('to', to),
      amount: amountText(value),
      path: operation.path.map((one) => assetFields(assetName(one))),
      source_amount: amountText(sent),
      ...(isReceive ? { source_max: amountText(limit) } : { destination_min: amountText(limit) }),
      ...assetFields(sentAsset, 'source_asset'),
    },
  };
}

function createAccount(
  operation: Of<'createAccount'>,
  { accounts, source, ledger }: OperationSurroundings,
): OperationOutcome {
  const { destination } = operation;
  const value = minorOf(operation.startingBalance) ?? 0n;
  const code =
    accounts.find(destination) === undefined ? take(accounts, source.account, NATIVE, value) : 'op_already_exists';
  if (code === undefined) accounts.put({ ...emptyAccount(destination, BigInt(ledger) << 32n), native: value });
  return {
    type: 'create_account',
    typeNumber: 0,
    payers: [source.account, destination],
    code: code ?? SUCCESS,
    fields: { starting_balance: amountText(value), ...partyFields('funder', source), account: destination },
  };
}

function changeTrust(operation: Of<'changeTrust'>, { accounts, source }: OperationSurroundings): OperationOutcome {
  const { line } = operation;
  const asset = 'isNative' in line ? assetName(line) : NATIVE;
  const limit = minorOf(operation.limit) ?? 0n;
  const code = trust(accounts, source.account, asset, limit);
  return {
    type: 'change_trust',
    typeNumber: 6,
    payers: [],
    code: code ?? SUCCESS,
    fields: {
      ...assetFields(asset),
      limit: amountText(limit),
      trustee: issuerOf(asset),
      ...partyFields('trustor', source),
    },
  };
}

function trust(accounts: AccountBook, id: string, asset: string, limit: bigint): string | undefined {
  const account = accounts.find(id);
  if (account === undefined || asset === NATIVE || issuerOf(asset) === id) return 'op_malformed';
  if (accounts.find(issuerOf(asset)) === undefined) return 'op_no_issuer';
  const balance = account.lines[asset]?.balance ?? 0n;
  if (limit < balance) return 'op_invalid_limit';
  const others = Object.fromEntries(Object.entries(account.lines).filter(([name]) => name !== asset));
  accounts.put({ ...account, lines: limit === 0n ? others : { ...others, [asset]: { balance, limit } } });
  return undefined;
}

/** Taken from the source; nobody has it yet. */
function claimableBalance(
  operation: Of<'createClaimableBalance'>,
  { accounts, source }: OperationSurroundings,
): OperationOutcome {
  const asset = assetName(operation.asset);
  const value = minorOf(operation.amount) ?? 0n;
  return {
    type: 'create_claimable_balance',
    typeNumber: 14,
    payers: [],
    code: take(accounts, source.account, asset, value) ?? SUCCESS,
    fields: {
      ...partyFields('sponsor', source),
      asset,
      amount: amountText(value),
      claimants: operation.claimants.map(({ destination }) => ({ destination, predicate: { unconditional: true } })),
    },
  };
}
