import type { Currency } from '../currency/currency.js';
import { CURRENCIES } from '../currency/registry.js';
import { parseDisburse } from './payout-request.js';
import { refusalOf as refusalIn, valueOf } from './requests.spec-support.js';

/** Default of the tests. */
const { KES } = CURRENCIES;

export const refusalOf = (fields: object, currency: Currency = KES): ReturnType<typeof refusalIn> =>
  refusalIn(parseDisburse(currency, { ...fields }));
export const destinationOf = (fields: object, currency: Currency = KES): unknown =>
  valueOf(parseDisburse(currency, { ...fields })).destination;
