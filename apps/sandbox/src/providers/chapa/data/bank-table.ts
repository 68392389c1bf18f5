import table from './banks.json' with { type: 'json' };

/** As GET /v1/banks lists it [D]. */
export interface Bank {
  /** bank_code of a transfer. */
  readonly id: number;
  readonly slug: string;
  readonly swift: string;
  readonly name: string;
  readonly acct_length: number;
  readonly country_id: number;
  readonly is_mobilemoney: number | null;
  readonly is_active: number;
  readonly is_rtgs: number | null;
  readonly active: number;
  readonly is_24hrs: number | null;
  readonly currency: string;
}

// As JSON: sources of this workspace name no currency.
export const BANKS: readonly Bank[] = table.banks;
export const { currency: CURRENCY, otherCurrency: OTHER_CURRENCY, countryPrefix: COUNTRY_PREFIX } = table;

export function findBank(id: number): Bank | undefined {
  return BANKS.find((bank) => bank.id === id);
}

/** Digits alone, as many as the bank's accounts have; wallets are local phone numbers, 09… or 07… [D]. */
export function isAccountOf(bank: Bank, account: string): boolean {
  if (!/^\d+$/.test(account) || account.length !== bank.acct_length) return false;
  return bank.is_mobilemoney !== 1 || /^0[79]/.test(account);
}

/** As webhooks and questions write wallets: with the country before the number [D]. */
export function toldAccount({ bankCode, accountNumber }: { bankCode: number; accountNumber: string }): string {
  const isWallet = findBank(bankCode)?.is_mobilemoney === 1;
  return isWallet ? `${COUNTRY_PREFIX}${accountNumber.replace(/^0/, '')}` : accountNumber;
}
