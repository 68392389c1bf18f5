import { Inject, Injectable } from '@nestjs/common';
import { offrampApi, type CallContext, type ExchangeRate, type InternalClient } from '@vuka/contracts';
import {
  described,
  fail,
  fault,
  ok,
  optional,
  readFields,
  refusal,
  required,
  shapeOf,
  USD,
  type Result,
  type ValueRule,
} from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';
import type { LosslessNumber } from 'lossless-json';

import { jsonNumber, read, WALLET_CURRENCY } from '../calls/index.js';
import { ServedChains } from '../chains/index.js';
import type { JsonBody } from '../http/index.js';

/** Fiat per 1 USD (decisions.md section 2, Rates), digit for digit. */
export interface RatesView {
  readonly buying_rate: LosslessNumber;
  readonly selling_rate: LosslessNumber;
  readonly quoted_rate: LosslessNumber;
}

export interface RatesInForceView extends RatesView {
  readonly is_onramp_active: boolean;
  readonly is_offramp_active: boolean;
}

export interface OneWayRateView {
  readonly from: string;
  readonly to: string;
  readonly rate: LosslessNumber;
}

export const RATE_FIELDS = { currency_code: required(described(WALLET_CURRENCY, 'Whose rate, in any letter case.')) };

const FLAG: ValueRule<boolean> = {
  read: (value, field) =>
    typeof value === 'boolean'
      ? ok(value)
      : fault('invalid_request', field, `${field} must be true or false, not ${shapeOf(value)}`),
  schema: { type: 'boolean' },
};

const DIRECTION_FIELDS = { buying_rate: optional(FLAG), selling_rate: optional(FLAG) };

/** Each flag with the field that names its currency. */
export const DIRECTIONS = {
  buying_rate: { to: required(described(WALLET_CURRENCY, 'What you get for dollars.')) },
  selling_rate: { from: required(described(WALLET_CURRENCY, 'What you give for dollars.')) },
} as const;

const ONE_DIRECTION = 'Send either buying_rate: true and to, or selling_rate: true and from';
const UNANSWERED = 'Rates cannot be told at the moment. Try again later';

/** Errors: invalid_request, unsupported_currency, rate_stale, service_unavailable. */
@Injectable()
export class GetRates {
  constructor(
    @Inject(clientOf(offrampApi)) private readonly offramp: Pick<InternalClient<typeof offrampApi>, 'exchangeRate'>,
    private readonly chains: ServedChains,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async rates(body: JsonBody, context: CallContext): Promise<Result<RatesView>> {
    const asked = readFields(body, RATE_FIELDS);
    if (!asked.ok) return refusal(asked.error);
    const told = await this.rateOf(asked.value.currency_code.name, context);
    return told.ok ? ok(ratesView(told.value)) : told;
  }

  /** Also whether deposits are paid out now. */
  async ratesInForce(body: JsonBody, context: CallContext): Promise<Result<RatesInForceView>> {
    const rates = await this.rates(body, context);
    if (!rates.ok) return rates;
    const chains = await this.chains.all();
    return ok({ ...rates.value, is_onramp_active: false, is_offramp_active: chains !== null && chains.length > 0 });
  }

  async oneWay(body: JsonBody, context: CallContext): Promise<Result<OneWayRateView>> {
    const read = readFields(body, DIRECTION_FIELDS);
    if (!read.ok) return refusal(read.error);
    const { buying_rate: buying = false, selling_rate: selling = false } = read.value;
    if (buying === selling)
      return fail({
        code: 'invalid_request',
        message: ONE_DIRECTION,
        faults: [{ detail: ONE_DIRECTION, pointer: '' }],
      });
    const named = buying ? readFields(body, DIRECTIONS.buying_rate) : readFields(body, DIRECTIONS.selling_rate);
    if (!named.ok) return refusal(named.error);
    const currency = 'to' in named.value ? named.value.to.name : named.value.from.name;
    const told = await this.rateOf(currency, context);
    if (!told.ok) return told;
    return ok(
      buying
        ? { from: USD.code, to: currency, rate: jsonNumber(told.value.buying_rate) }
        : { from: currency, to: USD.code, rate: jsonNumber(told.value.selling_rate) },
    );
  }

  private rateOf(currency: string, context: CallContext): Promise<Result<ExchangeRate>> {
    return read(this.log, () => this.offramp.exchangeRate({ currency }, context), UNANSWERED);
  }
}

function ratesView({ buying_rate, selling_rate, quoted_rate }: ExchangeRate): RatesView {
  return {
    buying_rate: jsonNumber(buying_rate),
    selling_rate: jsonNumber(selling_rate),
    quoted_rate: jsonNumber(quoted_rate),
  };
}
