import { balanceOf, issuerOf, MOST, NATIVE, withBalance, type AccountBook } from './accounts.js';

/** Returns Horizon's code on failure. */
export function take(accounts: AccountBook, id: string, asset: string, value: bigint): string | undefined {
  const account = accounts.find(id);
  if (account === undefined) return 'op_no_source_account';
  const balance = balanceOf(account, asset);
  if (value === 0n) return 'op_malformed';
  if (balance === undefined) return 'op_src_no_trust';
  if (balance < value) return 'op_underfunded';
  if (asset === NATIVE || issuerOf(asset) !== id) accounts.put(withBalance(account, asset, balance - value));
  return undefined;
}

/** Returns Horizon's code on failure. */
export function give(accounts: AccountBook, id: string, asset: string, value: bigint): string | undefined {
  const account = accounts.find(id);
  if (account === undefined) return 'op_no_destination';
  const balance = balanceOf(account, asset);
  if (balance === undefined) return 'op_no_trust';
  if (asset !== NATIVE && issuerOf(asset) === id) return undefined;
  const limit = asset === NATIVE ? MOST : (account.lines[asset]?.limit ?? 0n);
  if (balance + value > limit) return 'op_line_full';
  accounts.put(withBalance(account, asset, balance + value));
  return undefined;
}
