import { destinationIn, localPhone, type DestinationKind } from '@vuka/testing';

import {
  BANK_CODES,
  CALLING_CODES,
  TYPES,
  TYPE_SPELLINGS,
  type Amounts,
  type Cell,
} from './matrix-cells.spec-support.js';

export type Fields = Readonly<Record<string, unknown>>;

export interface Accepted {
  readonly name: string;
  readonly segment: string;
  readonly body: Fields;
  readonly shown: Fields;
}

/** Must be refused, with its catalogue code and field. */
export interface Refused {
  readonly name: string;
  readonly body: Fields;
  readonly code: string;
  readonly field: string;
}

export function pathOf(
  { operation, market }: Pick<Cell, 'operation' | 'market'>,
  segment = market.toLowerCase(),
): string {
  return operation === 'validation' ? `/v1/validation/${segment}` : `/${segment}/${operation}`;
}

/** Minimal valid body, to its own recipient. */
export function minimumOf(cell: Cell, more: Fields = {}): Fields {
  const all: Fields = { amount: cell.amounts?.min, ...destinationIn(cell.market, cell.kind) };
  const body = Object.fromEntries(Object.entries(all).filter(([field]) => cell.required.includes(field)));
  const network = cell.networks === undefined ? {} : { mobile_network: Object.keys(cell.networks)[0] };
  return { ...body, ...network, ...(cell.paidIn !== undefined && { currency: cell.paidIn }), ...more };
}

/** `canonical`: fields that were sent in another form. */
export function shownOf(cell: Cell, body: Fields, canonical: Fields = {}): Fields {
  const text = (field: string): string => (typeof body[field] === 'string' ? body[field] : '');
  const isBank = cell.kind === 'bank';
  const number =
    cell.operation === 'validation' || cell.kind !== 'paybill'
      ? isBank
        ? text('account_number')
        : text('shortcode')
      : text('account_number');
  const name = `TEST ${number.slice(-4)}`;
  const shortcode = cell.kind === 'mobile' ? localPhone(text('shortcode'), cell.market) : text('shortcode');
  const bank = isBank ? { bank_code: BANK_CODES[cell.market]?.code } : {};
  if (cell.operation === 'validation') {
    const told = isBank
      ? { account_name: name, account_number: body['account_number'], ...bank }
      : { shortcode, public_name: name, mobile_network: text('mobile_network') };
    return { status: 'COMPLETE', verified: true, ...told, ...canonical };
  }
  return {
    status: 'COMPLETE',
    type: TYPES[cell.kind],
    public_name: name,
    shortcode: isBank ? '' : shortcode,
    account_number: body['account_number'] ?? null,
    ...bank,
    mobile_network: text('mobile_network'),
    currency_code: cell.paidIn ?? cell.market,
    amount: fixed(String(body['amount']), cell.market),
    fee: fixed('0', cell.market),
    service_fee: cell.operation === 'bank-transfer' && cell.market === 'KES' ? '30.00' : fixed('0', cell.market),
    failure_code: '',
    category: 'DISBURSEMENT',
    is_released: true,
    ...canonical,
  };
}

export function fixed(amount: string, market: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  return market === 'UGX' ? whole : `${whole}.${fraction.slice(0, 2).padEnd(2, '0')}`;
}

export function beside(amount: number, step: -1n | 1n, decimals: number): string {
  const minor = BigInt(amount) * 10n ** BigInt(decimals) + step;
  const digits = minor.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Alternates between mixed case and other separators. */
function odd(name: string, turn: number): string {
  if (turn % 3 === 1) return name.toLowerCase().replaceAll(' ', '-');
  if (turn % 3 === 2) return name.toUpperCase().replaceAll(' ', '_');
  return [...name].map((letter, index) => (index % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())).join('');
}

/** All valid bodies except upper bounds, which wallets do not cover. */
export function acceptedOf(cell: Cell): readonly Accepted[] {
  const one = (
    name: string,
    more: Fields = {},
    canonical: Fields = {},
    segment = cell.market.toLowerCase(),
  ): Accepted => {
    const body = minimumOf(cell, more);
    return { name, segment, body, shown: shownOf(cell, body, canonical) };
  };
  return [
    one('the valid minimum'),
    one(
      'what may be left out, as "" and null',
      Object.fromEntries([...optionalOf(cell)].map((field, index) => [field, index % 2 === 0 ? '' : null])),
    ),
    one(`/${cell.country}`, {}, {}, cell.country),
    one(`/${odd(cell.market, 0)}`, {}, {}, odd(cell.market, 0)),
    ...networkNames(cell).map(([name, canonical], turn) =>
      one(`the network "${odd(name, turn)}"`, { mobile_network: odd(name, turn) }, { mobile_network: canonical }),
    ),
    ...(cell.kind === 'mobile' ? phoneForms(cell) : []).map(([name, shortcode]) =>
      one(`a phone as ${name}`, { shortcode }),
    ),
    // A type that is optional must still be right if it is sent.
    ...TYPE_SPELLINGS[cell.kind].map((type) => one(`the type "${type}"`, { type })),
    ...(cell.kind === 'bank' ? (BANK_CODES[cell.market]?.aliases ?? []) : []).map((alias) =>
      one(`the bank "${alias}"`, { bank_code: alias }),
    ),
    ...moneyCases(cell).map(([name, more, canonical]) => one(name, more, canonical)),
    ...(cell.operation === 'validation'
      ? [one('the expected name', { account_name: 'Jane Doe' }, { name_match: 'none' })]
      : []),
  ];
}

function networkNames({ networks = {} }: Cell): [string, string][] {
  return Object.entries(networks).flatMap(([canonical, { aliases }]) =>
    [canonical, ...aliases].map((name): [string, string] => [name, canonical]),
  );
}

function phoneForms({ market }: Cell): [string, string][] {
  const code = CALLING_CODES[market] ?? '';
  const national = (): string => (destinationIn(market, 'mobile').shortcode ?? '').slice(1);
  const forms: [string, string][] = [
    ['0…', `0${national()}`],
    [`${code}…`, `${code}${national()}`],
    [`+${code}…`, `+${code}${national()}`],
  ];
  return market === 'KES' ? [...forms, ['nine digits', national()]] : forms;
}

function moneyCases({ amounts, market, operation, networks = {} }: Cell): [string, Fields, Fields][] {
  if (amounts === undefined) return [];
  const { min } = amounts;
  const cases: [string, Fields, Fields][] = [];
  const all = Object.keys(networks).length === 0 ? [undefined] : Object.keys(networks);
  for (const mobile_network of all) {
    const decimals = decimalsOf(amounts, networks, mobile_network);
    const to = mobile_network === undefined ? {} : { mobile_network };
    const least = beside(min, 1n, decimals);
    cases.push([`${mobile_network ?? ''} ${least}`, { ...to, amount: least }, { amount: fixed(least, market) }]);
    cases.push([
      `${mobile_network ?? ''} "${min}.000"`,
      { ...to, amount: `${min}.000` },
      { amount: fixed(`${min}`, market) },
    ]);
    if (decimals > 0)
      cases.push([
        `${mobile_network ?? ''} ${min}.5`,
        { ...to, amount: `${min}.5` },
        { amount: fixed(`${min}.5`, market) },
      ]);
  }
  // The provider's minimum is below ours everywhere, which leaves room for a fee.
  if (operation === 'disburse')
    cases.push([
      'a fee and a name',
      { amount: min + 1, fee: 1, account_name: 'Jane Doe' },
      { fee: fixed('1', market) },
    ]);
  return cases;
}

export function decimalsOf(
  { decimals }: Amounts,
  networks: NonNullable<Cell['networks']>,
  network: string | undefined,
): number {
  return (network === undefined ? undefined : networks[network]?.decimals) ?? decimals;
}

function optionalOf({ operation, kind, required, paidIn }: Cell): Set<string> {
  const all = {
    'bank-transfer': ['reference', 'callback_url', 'bank_name', 'account_name', 'type'],
    disburse: [
      'callback_url',
      'reference',
      'fee',
      'account_name',
      ...(kind === 'bank' ? ['bank_name'] : []),
      ...(paidIn ? [] : ['currency']),
      'type',
    ],
    validation: ['account_name', 'type', 'currency', 'bank_name'],
  }[operation];
  return new Set(all.filter((field) => !required.includes(field)));
}

export function missingOf(cell: Cell): readonly Refused[] {
  const body = minimumOf(cell);
  return cell.required.flatMap((field) =>
    [undefined, '', null].map((value) => ({
      name: `${field} ${JSON.stringify(value) ?? 'left out'}`,
      body: { ...body, [field]: value },
      code: 'invalid_request',
      field,
    })),
  );
}

const LONG = 'x'.repeat(201);
const WRONG_TYPES: readonly unknown[] = [true, ['1'], { value: 1 }];

const MALFORMED: Readonly<Record<string, (cell: Cell) => readonly (readonly [value: unknown, code?: string])[]>> = {
  amount: () => [
    ...['abc', '1,000', '1e3', '+100', '0x64', ' 100', '1.2.3', 'NaN'].map((value) => [value] as const),
    ...WRONG_TYPES.map((value) => [value] as const),
  ],
  type: (cell) => [[5], ['CASH'], [['MOBILE']], ...notOffered(cell).map((kind) => [TYPES[kind]] as const)],
  shortcode: (cell) =>
    (cell.kind === 'mobile' ? badPhones(cell) : ['1234', '12345678', '12a45', '12 345', '-12345', 123456]).map(
      (value) => [value] as const,
    ),
  mobile_network: () => [
    [5],
    [['MTN']],
    ['Nokia', 'unsupported_network'],
    ['Orange Money', 'unsupported_network'],
    [LONG, 'unsupported_network'],
  ],
  account_number: ({ kind, market }) =>
    (kind === 'paybill'
      ? [12345, 'ab ', 'a\tb', '-1', 'x'.repeat(14), 'é']
      : [
          1234567890,
          '12 34567890',
          '12345A7890',
          '123',
          '1'.repeat(21),
          ...(market === 'NGN' ? ['123456789', '12345678901'] : []),
        ]
    ).map((value) => [value] as const),
  bank_code: () => [[44], [['01']], ['99999', 'unknown_bank'], [LONG]],
  bank_name: ({ market }) => [[5], [LONG], ['a\nb'], [BANK_CODES[market]?.another, 'unknown_bank']],
  account_name: () => [[5], [LONG], ['a\tb'], [{}]],
  reference: () => [[5], ['a b'], ['ä'], ['x'.repeat(101)], [{}]],
  callback_url: () => [
    ['nonsense', 'invalid_callback_url'],
    [5, 'invalid_callback_url'],
    ['ftp://example.com', 'invalid_callback_url'],
  ],
  fee: ({ amounts }) => [['x'], ['-1'], [amounts?.min], ['1e1'], [true]],
  currency: () => [['KES', 'unsupported_currency'], [5], ['EUR', 'unsupported_currency']],
};

export function malformedOf(cell: Cell): readonly Refused[] {
  const body = minimumOf(cell);
  const money = cell.operation === 'validation' ? [] : ['reference', 'callback_url'];
  const own =
    cell.operation === 'disburse' ? ['fee', 'account_name'] : cell.operation === 'validation' ? ['account_name'] : [];
  const fields = new Set([
    ...cell.required,
    'type',
    ...money,
    ...own,
    ...(cell.kind === 'bank' ? ['bank_name'] : []),
    ...(cell.market === 'CDF' ? ['currency'] : []),
  ]);
  return [...fields].flatMap((field) =>
    (MALFORMED[field]?.(cell) ?? []).map(([value, code = 'invalid_request']) => ({
      name: `${field} ${JSON.stringify(value).slice(0, 40)}`,
      body: { ...body, [field]: value },
      code,
      field,
    })),
  );
}

/** One minor unit beyond the limits, and one decimal too many. */
export function beyondOf({ amounts, networks = {}, ...cell }: Cell): readonly Refused[] {
  if (amounts === undefined) return [];
  const { min, max } = amounts;
  const names = Object.keys(networks).length === 0 ? [undefined] : Object.keys(networks);
  return names.flatMap((mobile_network) => {
    const decimals = decimalsOf(amounts, networks, mobile_network);
    const to = mobile_network === undefined ? {} : { mobile_network };
    const one = (amount: string, code: string): Refused => ({
      name: `${mobile_network ?? ''} ${amount}`,
      body: minimumOf({ amounts, networks, ...cell }, { ...to, amount }),
      code,
      field: 'amount',
    });
    const out = [beside(min, -1n, decimals), beside(max, 1n, decimals), '0', '-5', '99999999999999999999'].map(
      (amount) => one(amount, 'amount_out_of_range'),
    );
    return [
      ...out,
      one(`${min}.${'0'.repeat(decimals)}1`, 'invalid_request'),
      one(`${min}.${'0'.repeat(decimals)}5`, 'invalid_request'),
    ];
  });
}

const KINDS: readonly DestinationKind[] = ['mobile', 'paybill', 'till', 'bank'];

function notOffered({ market, kind, operation }: Cell): readonly DestinationKind[] {
  const offered: readonly DestinationKind[] =
    operation === 'bank-transfer'
      ? ['bank']
      : market === 'KES'
        ? operation === 'disburse'
          ? KINDS
          : ['mobile', 'paybill', 'till']
        : market === 'MWK'
          ? ['mobile', 'bank']
          : [kind];
  return KINDS.filter((candidate) => !offered.includes(candidate));
}

function badPhones({ market }: Cell): readonly unknown[] {
  const local = destinationIn(market, 'mobile').shortcode ?? '';
  const code = CALLING_CODES[market] ?? '';
  const national = local.slice(1);
  const elsewhere = market === 'GHS' ? '+254712345678' : '+233241234567';
  const bare = market === 'KES' ? [] : [national];
  return [
    Number(national),
    'abcdefghij',
    local.slice(0, -1),
    `${local}1`,
    `${local.slice(0, 4)} ${local.slice(4)}`,
    `00${code}${national}`,
    `+${code}0${national}`,
    `++${code}${national}`,
    elsewhere,
    `+${local}`,
    '٠٧١٢٣٤٥٦٧٨',
    ...bare,
  ];
}
