import { banksOf } from '../bank/bank.js';
import type { AmountLimits, Currency, PayoutRules, ServiceFee } from '../currency/currency.js';
import { CURRENCIES, currencyDecimals, DEFAULT_BANKS_CURRENCY, DEFAULT_CURRENCY } from '../currency/registry.js';
import { PAYOUT_TYPES, TYPE_CHOICES } from '../destination/destination.js';
import { formatLimit } from '../money/decimal.js';
import { page, table } from './page-text.js';

const NONE = '–';

export function currenciesPage(): string {
  return page(
    '# Currencies',
    [
      `Where the path of a validation or pay names no currency, it is ${DEFAULT_CURRENCY}; where that of the list of banks names none, ${DEFAULT_BANKS_CURRENCY}. A path`,
      'may name the ISO currency or the ISO country, in any letter case. What counts is the smaller of both limits; ours can be set ([terms](../operators/terms.md)).',
      "Ours count on `amount`; the network's least counts on what the recipient gets, which is `amount` less `fee`.",
    ].join('\n'),
    '## Types',
    'Names in any letter case; spaces, dashes and underscores do not count. A `type` sent where there is no choice must fit all the same.',
    table(
      ['`type`', 'also'],
      Object.values(TYPE_CHOICES).map(({ name, aliases }) => [`\`${name}\``, listed(aliases)]),
    ),
    ...Object.values<Currency>(CURRENCIES).flatMap(currencyBlocks),
  );
}

function currencyBlocks(currency: Currency): string[] {
  const { code, country, country_name, phone, phone_code, bankTransfer, banks, networkLimitsSource, payouts } =
    currency;
  const national = phone.example.slice(1);
  const forms = [
    phone.example,
    `${phone_code}${national}`,
    `+${phone_code}${national}`,
    ...(phone.bareAccepted ? [national] : []),
  ];
  const hasPhones = payouts.some(({ destinations }) => destinations.some(({ kind }) => kind === 'mobile'));
  return [
    `## ${code}: ${country_name} (${country})`,
    [
      ...(hasPhones
        ? [`- Phones: ${forms.map((form) => `\`${form}\``).join(', ')}; answered as \`${phone.example}\`.`]
        : []),
      `- Banks: ${banksText(code, banks.length)}`,
      `- Networks' own limits: ${networkLimitsSource}.`,
      `- Service fee: ${feesText(currency)}.`,
    ].join('\n'),
    table(
      ['paid from', '`type`', 'network', 'also', 'ours', "network's own", 'decimals'],
      payouts.flatMap((rules) => payoutRows(rules)),
    ),
    ...(bankTransfer === null
      ? []
      : [
          `The operation \`bank-transfer\` takes ${between(bankTransfer, currency.decimals)}, with at most ${String(bankTransfer.decimals)} decimals.`,
        ]),
  ];
}

function payoutRows({ currency, destinations }: PayoutRules): string[][] {
  const decimals = currencyDecimals(currency);
  const limits = (own: AmountLimits | null): string => (own === null ? NONE : between(own, decimals));
  return destinations.flatMap((rules) => {
    const type = `\`${PAYOUT_TYPES[rules.kind]}\``;
    if (rules.kind !== 'mobile')
      return [
        [
          currency,
          type,
          NONE,
          NONE,
          between(rules.limits, decimals),
          limits(rules.networkLimits),
          String(rules.decimals),
        ],
      ];
    return rules.networks.map((network) => [
      currency,
      type,
      network.name,
      listed(network.aliases),
      between(rules.limits, decimals),
      limits(network.networkLimits),
      String(network.decimals),
    ]);
  });
}

function between({ minMinor, maxMinor }: AmountLimits, decimals: number): string {
  return `${formatLimit(minMinor, decimals)} – ${formatLimit(maxMinor, decimals)}`;
}

const listed = (names: readonly string[]): string => (names.length === 0 ? NONE : names.join(', '));

function banksText(code: string, published: number): string {
  const usable = banksOf(code).length;
  if (published === 0) return 'no list.';
  return usable === published
    ? `${String(usable)} in the list.`
    : `${String(usable)} of the ${String(published)} in the published list; the others are gone, or share their code.`;
}

function feesText({ code, decimals, bankTransfer, payouts }: Currency): string {
  const fees = [
    ...(bankTransfer === null ? [] : [`${feeText(bankTransfer.serviceFee, code, decimals)} for \`bank-transfer\``]),
    ...payouts.map(
      ({ currency, serviceFee }) =>
        `${feeText(serviceFee, currency, currencyDecimals(currency))} for \`disburse\`${currency === code ? '' : ` from ${currency}`}`,
    ),
  ];
  return `${fees.join(', ')} (of the sandbox; in live what is set)`;
}

function feeText({ flatMinor, basisPoints }: ServiceFee, currency: string, decimals: number): string {
  const parts = [
    ...(flatMinor > 0n ? [`${currency} ${formatLimit(flatMinor, decimals)}`] : []),
    ...(basisPoints > 0n ? [`${String(basisPoints)} basis points`] : []),
  ];
  return parts.length === 0 ? 'none' : parts.join(' and ');
}
