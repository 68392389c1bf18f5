import { oneOf, WALLET_CURRENCIES } from '@vuka/domain';

/** A currency named in a body. Error: unsupported_currency. */
export const WALLET_CURRENCY = oneOf(
  WALLET_CURRENCIES.map((name) => ({ name, aliases: [] })),
  'unsupported_currency',
);
