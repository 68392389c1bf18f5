import { Address, scValToBigInt, type Operation, type xdr } from '@stellar/stellar-sdk';

import { amountText, partyOf, type Party } from './accounts.js';
import { assetFields } from './horizon-fields.js';
import { give, take } from './move-value.js';
import type { OperationOutcome, OperationSurroundings } from './operation-outcome.js';

interface Called {
  readonly asset: string;
  readonly from: Party;
  readonly to: Party;
  readonly value: bigint;
  readonly parameters: readonly { readonly type: string; readonly value: string }[];
}

/** Only SEP-41 `transfer` of an asset contract; else undefined. */
export function contractTransfer(
  { func }: Operation.InvokeHostFunction,
  { accounts, assetOfContract }: OperationSurroundings,
): OperationOutcome | undefined {
  const called = transferCalled(func, assetOfContract);
  if (called === undefined) return undefined;
  const { asset, from, to, value, parameters } = called;
  // Contract balances are not tracked.
  const taken = isContract(from) ? undefined : take(accounts, from.account, asset, value);
  const code = taken ?? (isContract(to) ? undefined : give(accounts, to.account, asset, value));
  const moved = {
    ...assetFields(asset),
    type: 'transfer',
    from: from.account,
    to: to.account,
    amount: amountText(value),
    ...(to.muxedId !== undefined && { destination_muxed_id: to.muxedId, destination_muxed_id_type: 'uint64' }),
  };
  return {
    type: 'invoke_host_function',
    typeNumber: 24,
    payers: [from.account, to.account],
    code: code === undefined ? 'op_success' : 'function_trapped',
    fields: {
      function: 'HostFunctionTypeHostFunctionTypeInvokeContract',
      address: '',
      salt: '',
      parameters,
      asset_balance_changes: code === undefined ? [moved] : [],
    },
  };
}

const isContract = ({ account }: Party): boolean => account.startsWith('C');

function transferCalled(
  func: xdr.HostFunction,
  assetOfContract: (contract: string) => string | undefined,
): Called | undefined {
  if (func.switch().name !== 'hostFunctionTypeInvokeContract') return undefined;
  const call = func.invokeContract();
  const contract = Address.fromScAddress(call.contractAddress()).toString();
  const asset = assetOfContract(contract);
  const [from, to, value, ...more] = call.args();
  if (
    asset === undefined ||
    call.functionName().toString() !== 'transfer' ||
    from === undefined ||
    to === undefined ||
    value === undefined ||
    more.length > 0
  )
    return undefined;
  const amount = scValToBigInt(value);
  if (amount <= 0n) return undefined;
  const parties = [from, to].map((one) => partyOf(Address.fromScVal(one).toString())) as [Party, Party];
  const parameters = [call.contractAddress(), ...call.args()].map((one) => ({
    type: 'Sc',
    value: one.toXDR('base64'),
  }));
  return { asset, from: parties[0], to: parties[1], value: amount, parameters };
}
