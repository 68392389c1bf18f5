import type { FastifyInstance, FastifyReply } from 'fastify';

import { isObject } from '../../simulation/plain-server.js';
import { failureReason } from '../behaviour/failure-codes.js';
import { fromHundredths } from '../data/amount.js';
import { COUNTRIES, type Country, type MobileProvider, predictProvider, PROVIDERS } from '../data/provider-table.js';
import { type Context, statusOf } from './context.js';

interface Filter {
  readonly country?: string;
  readonly operationType?: string;
}

export function addToolkitRoutes(server: FastifyInstance, context: Context): void {
  server.get('/v2/wallet-balances', (request) => walletBalances(context, request.query as Filter));
  server.get('/v2/active-conf', async (request) => activeConfiguration(context, request.query as Filter));
  server.get('/v2/availability', async (request) => availability(context, request.query as Filter));
  server.get('/v2/public-key/http', async () => {
    await context.keys.saved();
    return context.keys.published();
  });
  server.post('/v2/predict-provider', async (request, reply) => predict(request.body, reply));
}

async function walletBalances({ book }: Context, { country }: Filter): Promise<object> {
  book.settleDue();
  const balances = book.wallets
    .all()
    .filter(({ id }) => country === undefined || id.country === country)
    .map(({ id, balance }) => ({
      country: id.country,
      balance: fromHundredths(balance),
      currency: id.currency,
      provider: id.provider,
    }));
  await book.safe();
  return { balances };
}

function countriesOf({ country }: Filter): { of: Country; providers: MobileProvider[] }[] {
  return COUNTRIES.filter((known) => country === undefined || known.country === country).map((of) => ({
    of,
    providers: PROVIDERS.filter((provider) => provider.country === of.country),
  }));
}

/** This account has no operation but payouts. */
const withPayouts = ({ operationType = 'PAYOUT' }: Filter): boolean => operationType === 'PAYOUT';

function activeConfiguration(context: Context, filter: Filter): object {
  const { companyName, callbacks } = context.settings;
  return {
    companyName,
    signatureConfiguration: { signedRequestsOnly: false, signedCallbacks: callbacks.signed },
    countries: countriesOf(filter).map(({ of, providers }) => ({
      country: of.country,
      displayName: { en: of.name },
      prefix: of.prefix,
      flag: `https://static.example/flags/${of.country.toLowerCase()}.svg`,
      providers: providers.map((provider) => ({
        provider: provider.provider,
        displayName: provider.displayName,
        logo: `https://static.example/logos/${provider.provider.toLowerCase()}.png`,
        nameDisplayedToCustomer: companyName,
        currencies: provider.currencies.map(({ currency, decimals, minAmount, maxAmount }) => ({
          currency,
          displayName: currency,
          operationTypes: withPayouts(filter)
            ? {
                PAYOUT: {
                  minAmount,
                  maxAmount,
                  decimalsInAmount: decimals === 0 ? 'NONE' : 'TWO_PLACES',
                  status: statusOf(context, provider.provider),
                  ...(callbacks.url !== null && { callbackUrl: callbacks.url }),
                },
              }
            : {},
        })),
      })),
    })),
  };
}

function availability(context: Context, filter: Filter): object {
  return countriesOf(filter).map(({ of, providers }) => ({
    country: of.country,
    providers: providers.map(({ provider }) => ({
      provider,
      operationTypes: withPayouts(filter) ? [{ operationType: 'PAYOUT', status: statusOf(context, provider) }] : [],
    })),
  }));
}

/** Takes a number as people write it; what it cannot tell is refused. */
function predict(body: unknown, reply: FastifyReply): object {
  const phone = isObject(body) ? body['phoneNumber'] : undefined;
  if (typeof phone !== 'string') return reply.code(400).send({ failureReason: failureReason('INVALID_INPUT') });
  const digits = phone.replace(/\D/g, '').replace(/^0+/, '');
  const provider = predictProvider(digits);
  if (provider !== undefined) return { country: provider.country, provider: provider.provider, phoneNumber: digits };
  const isOurs = COUNTRIES.some(({ prefix }) => digits.startsWith(prefix));
  return isOurs
    ? reply.code(400).send({ failureReason: failureReason('INVALID_PHONE_NUMBER') })
    : reply.code(422).send({ failureReason: failureReason('INVALID_COUNTRY') });
}
