import type { Currencies, Currency } from '@vuka/domain';

/** decisions.md section 2 (compat). */
export interface CountryView {
  /** ISO 3166-1 numeric, the same for ever. */
  readonly id: number;
  readonly name: string;
  readonly currency_code: string;
  /** Digits without +. */
  readonly phone_code: string;
}

export interface ListCountriesOptions {
  readonly currencies: Currencies;
}

/** Where payouts go. */
export class ListCountries {
  constructor(private readonly options: ListCountriesOptions) {}

  all(): CountryView[] {
    return Object.values<Currency>(this.options.currencies).map(({ country_id, country_name, code, phone_code }) => ({
      id: country_id,
      name: country_name,
      currency_code: code,
      phone_code,
    }));
  }
}
