import table from './providers.json' with { type: 'json' };

export interface ProviderCurrency {
  readonly currency: string;
  readonly decimals: number;
  readonly minAmount: string;
  readonly maxAmount: string;
}

/** A mobile money operator, in pawaPay's words a provider. */
export interface MobileProvider {
  readonly provider: string;
  readonly displayName: string;
  /** ISO 3166-1 alpha-3. */
  readonly country: string;
  readonly currencies: readonly ProviderCurrency[];
  /** How its numbers begin, a hint only. */
  readonly prefixes: readonly string[];
}

export interface Country {
  readonly country: string;
  readonly name: string;
  readonly prefix: string;
  /** Digits after the prefix. */
  readonly nationalLength: number;
  readonly currencies: readonly string[];
}

// As JSON: sources of this workspace name no currency.
export const PROVIDERS: readonly MobileProvider[] = table.providers;
export const COUNTRIES: readonly Country[] = table.countries;

export function findProvider(name: string): MobileProvider | undefined {
  return PROVIDERS.find(({ provider }) => provider === name);
}

export function countryOf(name: string): Country {
  const found = COUNTRIES.find(({ country }) => country === name);
  if (found === undefined) throw new Error(`the table of providers has no country ${name}`);
  return found;
}

/** Digits alone, of the length that the provider's country has. */
export function isPhoneOf(provider: MobileProvider, phone: string): boolean {
  const { prefix, nationalLength } = countryOf(provider.country);
  return /^\d+$/.test(phone) && phone.startsWith(prefix) && phone.length === prefix.length + nationalLength;
}

/** Whose number it is by its first digits: the longest prefix wins. */
export function predictProvider(phone: string): MobileProvider | undefined {
  const hits = PROVIDERS.flatMap((provider) =>
    provider.prefixes.filter((prefix) => phone.startsWith(prefix)).map((prefix) => ({ provider, prefix })),
  );
  const [best] = hits.sort((a, b) => b.prefix.length - a.prefix.length);
  return best !== undefined && isPhoneOf(best.provider, phone) ? best.provider : undefined;
}
