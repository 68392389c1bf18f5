import { Inject, Injectable } from '@nestjs/common';
import { termsDigest, type Currencies } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { CURRENCIES_IN_FORCE, LOGGER } from '@vuka/service-host';

/** More than gateways there are at once; beyond it what was told first is told again. */
const MOST_REMEMBERED = 64;

/**
 * Whether gateways judge limits by the terms that fees are charged by here (`VUKA_TERMS_FILE` is read by each of them). Terms that
 * differ are told, once for each digest, and stop nothing: while new terms are rolled out they differ for a while, and that is to be
 * no outage. What is charged is by the terms of payments, always.
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

  /** undefined: not said. */
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
