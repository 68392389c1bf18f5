import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { sendHtml } from '../../simulation/plain-server.js';
import { hangUp } from '../../http/withheld-answers.js';
import { behaviourOf } from '../behaviour/numbers.js';
import { REFUSALS, unknownBank } from '../behaviour/refusals.js';
import { accountNameOf } from '../data/account-names.js';
import { type Bank, type Channel, CHANNELS, findBank } from '../data/channel-table.js';
import { jsonInteger } from '../data/json-integer.js';
import { refuse, success } from './answers.js';
import type { Context } from './context.js';
import { listTransfers, pageOf, type Query } from './list-route.js';

const LISTED_AT = '2026-01-01T00:00:00.000Z';

export function addBankRoutes(server: FastifyInstance, context: Context): void {
  server.get('/bank', async (request, reply) => banks(request.query as Query, reply));
  server.get('/bank/resolve', (request, reply) => resolve(context, request, reply));
  server.get('/balance', () => balances(context));
  server.get('/transfer', (request, reply) => listTransfers(context, request.query as Query, reply));
}

/** All of them, unless pages are asked for. */
function banks(query: Query, reply: FastifyReply): unknown {
  const { currency, type, country } = query;
  const found = CHANNELS.filter(
    (channel) =>
      (currency === undefined || channel.currency === currency) &&
      (type === undefined || channel.type === type) &&
      (country === undefined || channel.country.toLowerCase() === country.toLowerCase()),
  ).flatMap((channel) => channel.banks.map((bank) => bankView(channel, bank)));
  const page = pageOf(query);
  if (page === null) return refuse(reply, REFUSALS.invalid_params);
  const { skipped, perPage } = page;
  const isPaged = query['perPage'] !== undefined || query['page'] !== undefined;
  return success('Banks retrieved', isPaged ? found.slice(skipped, skipped + perPage) : found);
}

function bankView({ country, currency, type }: Channel, { id, name, code }: Bank): object {
  return {
    name,
    slug: name.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    code,
    longcode: '',
    gateway: null,
    pay_with_bank: false,
    active: true,
    is_deleted: false,
    country,
    currency,
    type,
    id,
    createdAt: LISTED_AT,
    updatedAt: LISTED_AT,
  };
}

async function resolve(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { account_number: account = '', bank_code: code = '' } = request.query as Query;
  const channel = CHANNELS.find((one) => one.resolves && findBank(one, code) !== undefined);
  const bank = channel && findBank(channel, code);
  if (channel === undefined || bank === undefined) return refuse(reply, unknownBank(code));
  if (!/^\d+$/.test(account)) return refuse(reply, REFUSALS.not_numeric);
  const { resolve: how } = behaviourOf(account);
  if (how === 'server_error' || how === 'too_many') return refuse(reply, REFUSALS[how]);
  if (how === 'html') return sendHtml(reply, 200);
  if (how === 'nobody' || !channel.account.test(account)) return refuse(reply, REFUSALS.not_resolved);
  if (how === 'hold' && !(await context.withheld.hold(request.raw.socket))) return hangUp(request, reply);
  const accountName = how === 'nameless' ? '' : accountNameOf(account);
  return success('Account number resolved', {
    account_number: account,
    account_name: accountName,
    bank_id: bank.id,
  });
}

async function balances({ book }: Context): Promise<object> {
  book.settleDue();
  const data = book.balances.all().map(({ currency, balance }) => ({ currency, balance: jsonInteger(balance) }));
  await book.safe();
  return success('Balances retrieved', data);
}
