import { Inject, Injectable } from '@nestjs/common';
import type { Currencies } from '@vuka/domain';
import { CURRENCIES_IN_FORCE } from '@vuka/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { HttpProblem } from '../../http/index.js';
import { currencyOfPath, type Operation } from '../../operations/index.js';

/** 404. */
@Injectable()
export class CheckCurrency {
  constructor(@Inject(CURRENCIES_IN_FORCE) private readonly currencies: Currencies) {}

  run(request: FastifyRequest, _reply: FastifyReply, operation: Operation): HttpProblem | null {
    const named = (request.params as { currency?: string }).currency;
    const currency = currencyOfPath(named, operation.offer, this.currencies);
    if (!currency.ok) return currency.error;
    request.pathCurrency = currency.value;
    return null;
  }
}
