import { Inject, Injectable } from '@nestjs/common';
import { termsDigest, type Currencies } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { CURRENCIES_IN_FORCE, LOGGER } from '@vuka/service-host';

/** More than there are gateways. */
const MOST_REMEMBERED = 64;

/**
 * A difference to gateways' terms (`VUKA_TERMS_FILE`) is logged once per digest and stops nothing, because a
 * rollout of terms is no outage. Payments' terms set the fees.
 */
@Injectable()
export class TermsWatch {
  private readonly told = new Set<string>();
  private readonly ours: string;

  constructor(
    @Inject(CURRENCIES_IN_FORCE) currencies: Currencies,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.ours = termsDigest(currencies);
  }

  /** undefined: not sent. */
  hear(digest: string | undefined): void {
    if (digest === undefined || digest === this.ours || this.told.has(digest)) return;
    if (this.told.size >= MOST_REMEMBERED) this.told.clear();
    this.told.add(digest);
    this.log.error(
      { code: 'terms_differ', gateway_terms: digest, payments_terms: this.ours },
      'a gateway checks by other limits and fees than payments charges by',
    );
  }
}
