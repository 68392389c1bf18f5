import type { FastifyInstance } from 'fastify';

import { fromHundredths } from '../data/amount.js';
import { BANKS, CURRENCY } from '../data/bank-table.js';
import type { Context } from './context.js';
import { asNumber } from './transfer-view.js';

export function addToolkitRoutes(server: FastifyInstance, context: Context): void {
  server.get('/v1/banks', async () => ({ message: 'Banks retrieved', data: BANKS }));
  server.get('/v1/balances', () => balances(context, CURRENCY));
  server.get('/v1/balances/:currency', (request) =>
    balances(context, (request.params as { currency: string }).currency.toUpperCase()),
  );
}

/** The ledger's has what is under way, too [D]. */
async function balances({ book }: Context, currency: string): Promise<unknown> {
  book.settleDue();
  const { available, reserved } = book.account;
  await book.safe();
  const balance = {
    currency: CURRENCY,
    available_balance: asNumber(fromHundredths(available)),
    ledger_balance: asNumber(fromHundredths(available + reserved)),
  };
  return { message: 'Balances fetched', status: 'success', data: currency === CURRENCY ? [balance] : [] };
}
