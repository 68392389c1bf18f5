import table from './channels.json' with { type: 'json' };

/** A kind of recipient in one currency. */
export interface Channel {
  readonly currency: string;
  readonly country: string;
  /** As a recipient names it. */
  readonly type: string;
  /** Form of its account numbers. */
  readonly account: RegExp;
  /** GET /bank/resolve knows its names. */
  readonly resolves: boolean;
  /** Who gives the session; null: none is told. */
  readonly session: string | null;
  /** A transfer to it says what for. */
  readonly needsAccountReference: boolean;
  readonly banks: readonly Bank[];
}

export interface Bank {
  readonly id: number;
  readonly code: string;
  readonly name: string;
}

const lists = Object.entries(table.banks) as [string, [string, string][]][];
const BANKS = new Map(
  lists.map(([list, rows], at) => [
    list,
    rows.map(([code, name], index): Bank => ({ id: 1 + at * 1_000 + index, code, name })),
  ]),
);

// As JSON: sources of this workspace name no currency.
export const DEFAULT_CURRENCY: string = table.defaultCurrency;
export const CHANNELS: readonly Channel[] = table.channels.map(({ account, banks, ...rest }) => ({
  ...rest,
  account: new RegExp(account),
  banks: BANKS.get(banks) ?? [],
}));
export const CURRENCIES: readonly string[] = [...new Set(CHANNELS.map(({ currency }) => currency))];

export function findChannel(type: string, currency: string): Channel | undefined {
  return CHANNELS.find((channel) => channel.type === type && channel.currency === currency);
}

export function findBank({ banks }: Channel, code: string): Bank | undefined {
  return banks.find((bank) => bank.code === code);
}
