import { hash } from 'node:crypto';

import fc from 'fast-check';
import { parse } from 'lossless-json';

import { banksOf } from '../bank/bank.js';
import type { Currency, DestinationRules, MobileNetwork, NamedChoice, PayoutRules } from '../currency/currency.js';
import { CURRENCIES, currencyDecimals } from '../currency/registry.js';
import { PAYOUT_TYPES, type LookupDestination } from '../destination/destination.js';
import { localPhone } from '../destination/phone.js';
import type { Problem, Result } from '../result/result.js';

export type Body = Record<string, unknown>;

/** Numbers as raw text, as from the gateway. */
export const bodyOf = (json: string): Body => parse(json) as Body;

export function valueOf<T>(result: Result<T, Problem>): T {
  if (!result.ok) throw new Error(`refused: ${result.error.message}`);
  return result.value;
}

/** Throws if the request was accepted. */
export function refusalOf(result: Result<unknown, Problem>): { code: string; message: string; pointers: string[] } {
  if (result.ok) throw new Error('accepted');
  const { code, message, faults } = result.error;
  return { code, message, pointers: (faults ?? []).map(({ pointer }) => pointer) };
}

export const ALL_CURRENCIES: readonly Currency[] = Object.values<Currency>(CURRENCIES);

export interface PayoutCase {
  readonly currency: Currency;
  readonly payouts: PayoutRules;
  readonly rules: DestinationRules;
  /** Only for mobile. */
  readonly network: MobileNetwork | null;
  /** Of the wallet. */
  readonly minorDecimals: number;
  /** Of the request. */
  readonly decimals: number;
}

export const PAYOUT_CASES: readonly (readonly [string, PayoutCase])[] = ALL_CURRENCIES.flatMap((currency) =>
  currency.payouts.flatMap((payouts) =>
    payouts.destinations.flatMap((rules) => {
      const networks = rules.kind === 'mobile' ? rules.networks : [null];
      return networks.map((network): readonly [string, PayoutCase] => {
        const decimals = rules.kind === 'mobile' ? (network?.decimals ?? 0) : rules.decimals;
        const name = [currency.code, payouts.currency, rules.kind, network?.name]
          .filter((word) => word !== undefined)
          .join(' ');
        return [
          name,
          { currency, payouts, rules, network, decimals, minorDecimals: currencyDecimals(payouts.currency) },
        ];
      });
    }),
  ),
);

/** Required fields only, without an amount. */
export function recipientFields({ currency, payouts, rules, network }: PayoutCase): Body {
  const which = {
    ...(payouts !== currency.payouts[0] && { currency: payouts.currency }),
    ...(payouts.destinations.length > 1 && { type: PAYOUT_TYPES[rules.kind] }),
  };
  const [bank] = banksOf(currency.code);
  switch (rules.kind) {
    case 'mobile':
      return { ...which, shortcode: currency.phone.example, mobile_network: network?.name };
    case 'paybill':
      return { ...which, shortcode: rules.shortcode.example, account_number: rules.accountNumber.example };
    case 'till':
      return { ...which, shortcode: rules.shortcode.example };
    case 'bank':
      return {
        ...which,
        account_number: rules.accountNumber.example,
        bank_code: bank?.code,
        ...(rules.namesRequired && { account_name: 'Jane Doe', bank_name: bank?.name }),
      };
  }
}

export function fieldsOfDestination(destination: LookupDestination): Body {
  const { kind, ...rest } = destination;
  const type = PAYOUT_TYPES[kind];
  if (destination.kind !== 'mobile') return { type, ...rest };
  return { type, shortcode: localPhone(destination.phone), mobile_network: destination.mobile_network };
}

/** As clients misspell it: letter case, spaces, dashes, underscores. */
export function spellings(name: string): fc.Arbitrary<string> {
  const letters = [...name.replace(/[ _-]/g, '')];
  return fc
    .array(fc.tuple(fc.boolean(), fc.constantFrom('', '', '', ' ', '-', '_')), {
      minLength: letters.length,
      maxLength: letters.length,
    })
    .map((marks) =>
      letters
        .map((letter, at) => (marks[at]?.[0] ? letter.toUpperCase() : letter.toLowerCase()) + (marks[at]?.[1] ?? ''))
        .join(''),
    );
}

export const namesIn = <C extends NamedChoice>(choices: readonly C[]): (readonly [string, C])[] =>
  choices.flatMap((choice) => [choice.name, ...choice.aliases].map((name): readonly [string, C] => [name, choice]));

/** Accepted by the pattern and the number plan; without trunk 0 and country code. */
export const nationalNumbers = ({ phone }: Currency): fc.Arbitrary<string> => fc.stringMatching(phone.national);

/** Keyed in services; here any digest that tells texts apart. */
export const digestOf = (text: string): string => `v1:${hash('sha256', text, 'base64url')}`;
