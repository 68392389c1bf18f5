import { Inject, Injectable } from '@nestjs/common';
import type { Currencies, Currency } from '@vuka/domain';
import { CURRENCIES_IN_FORCE } from '@vuka/service-host';

/** decisions.md section 2 (compat). */
export interface CountryView {
  /** ISO 3166-1 numeric; never changes. */
  readonly id: number;
  readonly name: string;
  readonly currency_code: string;
  readonly phone_code: string;
}

@Injectable()
export class ListCountries {
  constructor(@Inject(CURRENCIES_IN_FORCE) private readonly currencies: Currencies) {}

  all(): CountryView[] {
    return Object.values<Currency>(this.currencies).map(({ country_id, country_name, code, phone_code }) => ({
      id: country_id,
      name: country_name,
      currency_code: code,
      phone_code,
    }));
  }
}
