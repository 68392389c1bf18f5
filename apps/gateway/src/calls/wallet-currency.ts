import { oneOf, WALLET_CURRENCIES } from '@vuka/domain';

/** Error: unsupported_currency. */
export const WALLET_CURRENCY = oneOf(
  WALLET_CURRENCIES.map((name) => ({ name, aliases: [] })),
  'unsupported_currency',
);
