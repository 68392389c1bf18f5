const FIRST = ['JANE', 'KOFI', 'ADA', 'JUMA', 'AMINA', 'CHIDI', 'WANJIRU', 'KWAME', 'NGOZI', 'OTIENO'];
const LAST = ['DOE', 'MENSAH', 'OBI', 'OTIENO', 'BELLO', 'EZE', 'KAMAU', 'BOATENG', 'ADEYEMI', 'ODHIAMBO'];

/** Who has this account: the same for the same number. */
export function accountNameOf(accountNumber: string): string {
  const digits = accountNumber.replace(/\D/g, '').padStart(2, '0');
  return `${FIRST[Number(digits.at(-2))] ?? ''} ${LAST[Number(digits.at(-1))] ?? ''}`;
}
