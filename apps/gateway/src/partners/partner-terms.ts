import { Inject, Injectable } from '@nestjs/common';
import type { WalletOperation } from '@vuka/contracts';
import {
  applyTerms,
  fail,
  ok,
  ownServiceFee,
  ownVelocityLimits,
  type Currencies,
  type CurrencyCode,
  type Problem,
  type Result,
  type ServiceFee,
  type VelocityLimit,
} from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { CURRENCIES_IN_FORCE, LOGGER } from '@vuka/service-host';

import type { Caller } from '../keys/index.js';

export interface TermsInForce {
  readonly currencies: Currencies;
  /** null: the deployment's own, which payments knows. */
  ownFee(operation: WalletOperation, currency: CurrencyCode, paidIn: string): ServiceFee | null;
  /** null: as ownFee(). */
  ownVelocityLimits(currency: CurrencyCode, paidIn: string): readonly VelocityLimit[] | null;
}

interface Built {
  /** Compared as text after a new read. */
  readonly rows: unknown;
  readonly text: string;
  readonly terms: Result<TermsInForce>;
}

const MOST_REMEMBERED = 1_000;

/** If the agreed terms cannot be applied, nothing is charged or accepted. */
const UNUSABLE: Problem = {
  code: 'service_unavailable',
  message:
    'The limits and fees that were agreed with you cannot be applied at the moment, so this request changed nothing. Send the same request again later',
};

/** See docs/operators/terms.md. */
@Injectable()
export class PartnerTerms {
  private readonly deployment: Result<TermsInForce>;
  private readonly built = new Map<number, Built>();

  constructor(
    @Inject(CURRENCIES_IN_FORCE) private readonly currencies: Currencies,
    @Inject(LOGGER) private readonly log: Pick<Logger, 'error'>,
  ) {
    this.deployment = ok({ currencies, ownFee: () => null, ownVelocityLimits: () => null });
  }

  /** Errors: service_unavailable if its rows do not fit this process's registry. */
  of({ partnerId, terms: rows }: Pick<Caller, 'partnerId' | 'terms'>): Result<TermsInForce> {
    if (rows === null) return this.deployment;
    const known = this.built.get(partnerId);
    if (known !== undefined && known.rows === rows) return known.terms;
    const text = JSON.stringify(rows);
    const terms = known?.text === text ? known.terms : this.build(partnerId, rows);
    this.remember(partnerId, { rows, text, terms });
    return terms;
  }

  private build(partnerId: number, rows: unknown): Result<TermsInForce> {
    const applied = applyTerms(this.currencies, rows);
    if (!applied.ok) {
      this.log.error(
        { code: 'partner_terms_unusable', partner_id: partnerId, why: applied.error },
        'the terms of a partner break a rule of the limits and fees of this deployment',
      );
      return fail(UNUSABLE);
    }
    const currencies = applied.value;
    return ok({
      currencies,
      ownFee: (operation, currency, paidIn) =>
        ownServiceFee(this.currencies, currencies, { operation, currency, paidIn }),
      ownVelocityLimits: (currency, paidIn) => ownVelocityLimits(this.currencies, currencies, { currency, paidIn }),
    });
  }

  private remember(partnerId: number, built: Built): void {
    this.built.delete(partnerId);
    if (this.built.size >= MOST_REMEMBERED) {
      for (const oldest of this.built.keys()) {
        this.built.delete(oldest);
        break;
      }
    }
    this.built.set(partnerId, built);
  }
}
