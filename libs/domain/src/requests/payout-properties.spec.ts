import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CHAINS } from '../chain/registry.js';
import type { NamedChoice } from '../currency/currency.js';
import { type LookupDestination, TYPE_CHOICES } from '../destination/destination.js';
import { formatDecimal } from '../money/decimal.js';
import { parseBankTransfer } from './bank-transfer.js';
import { choiceNamed } from './field-rules.js';
import { parseNameRequest } from './name-request.js';
import { parsePay } from './pay-request.js';
import { EACH, limitsOf, stepOf, written } from './payout-cases.spec-support.js';
import { parseDisburse, type PayoutRequest } from './payout-request.js';
import {
  ALL_CURRENCIES,
  type Body,
  fieldsOfDestination,
  namesIn,
  nationalNumbers,
  PAYOUT_CASES,
  type PayoutCase,
  recipientFields,
  refusalOf,
  spellings,
  valueOf,
} from './requests.spec-support.js';

/** From nonsense to valid values. */
const SENT = {
  type: fc.constantFrom('MOBILE', 'paybill', 'TILL', 'buy goods', 'bank_transfer', 'CASH'),
  shortcode: fc.oneof(
    fc.stringMatching(/^(\+?(254|256|234|233|265|243|251)|0)?[0-9]{5,10}$/),
    fc.stringMatching(/^\d{5,7}$/),
  ),
  account_number: fc.stringMatching(/^[\dA-Z-]{1,22}$/),
  mobile_network: fc.constantFrom(
    ...new Set(PAYOUT_CASES.flatMap(([, { network }]) => (network ? [network.name, ...network.aliases] : []))),
  ),
  bank_code: fc.constantFrom('01', '30', '522522', '044', '50572', 'NBMAMWMW'),
  bank_name: fc.constantFrom('KCB', 'Access Bank', 'National Bank of Malawi'),
  currency: fc.constantFrom('CDF', 'usd', 'EUR'),
  account_name: fc.string(),
  chain: fc.constantFrom('CELO', 'sol', 'Stellar'),
  transaction_hash: fc.constantFrom(`0x${'1'.repeat(64)}`, '2'.repeat(64)),
  reference: fc.stringMatching(/^[A-Za-z0-9._:-]{1,3}$/),
  callback_url: fc.constant('https://x/y'),
} as const;
const AMOUNT = fc.oneof(
  fc.stringMatching(/^-?\d{1,7}(\.\d{1,3})?$/),
  fc.constantFrom(...written('500.50').map(({ amount }) => amount)),
);

/** Mostly sensible fields, so that some requests get far. */
const ANY_BODY: fc.Arbitrary<Body> = fc.record(
  Object.fromEntries(
    Object.entries({ ...SENT, amount: AMOUNT, fee: AMOUNT }).map(([field, sensible]) => [
      field,
      fc.oneof({ weight: 5, arbitrary: sensible as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: fc.anything() }),
    ]),
  ),
  { requiredKeys: [] },
);

function caseOf(code: string, { amount: { currency }, destination }: PayoutRequest): PayoutCase {
  const found = PAYOUT_CASES.find(
    ([, one]) =>
      one.currency.code === code &&
      one.payouts.currency === currency &&
      one.rules.kind === destination.kind &&
      (destination.kind !== 'mobile' || one.network?.name === destination.mobile_network),
  );
  if (found === undefined) throw new Error('accepted what cannot be paid');
  return found[1];
}

/** The canonical destination as a request. */
function sentAgain(code: string, { destination, amount: { currency } }: PayoutRequest): Body {
  const bank = destination.kind === 'bank' ? { account_name: 'Jane Doe' } : {};
  return { ...fieldsOfDestination(destination), ...bank, ...(code !== currency && { currency }) };
}

describe('whatever is sent', () => {
  it.each(EACH)('%s: no rule throws, and a refusal speaks of its first fault', (_, currency) => {
    fc.assert(
      fc.property(
        ANY_BODY,
        fc.constantFrom(parseDisburse, parsePay, parseNameRequest, parseBankTransfer),
        (body, parser) => {
          const parsed = parser(currency, body);
          if (parsed.ok) return;
          const { code, message, faults = [] } = parsed.error;
          if (code === 'unsupported_currency' && currency.bankTransfer === null && parser === parseBankTransfer) return;
          expect(message).toBe(faults[0]?.detail);
          expect(new Set(faults.map(({ pointer, detail }) => pointer + detail)).size).toBe(faults.length);
          for (const { pointer } of faults) expect(pointer).toMatch(/^\/[a-z_]+$/);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(PAYOUT_CASES)('%s: what is accepted is within every rule, and normalising twice equals once', (_, one) => {
    const { currency } = one;
    let accepted = 0;
    fc.assert(
      fc.property(requestOf(one), (body) => {
        const parsed = parseDisburse(currency, body);
        if (!parsed.ok) return;
        accepted += 1;
        const { amount, fee, destination } = parsed.value;
        const [{ minor: amountMinor }, { minor: feeMinor }] = [amount, fee];
        const met = caseOf(currency.code, parsed.value);
        const { minMinor, maxMinor } = limitsOf(met);
        expect(amountMinor >= minMinor && amountMinor <= maxMinor).toBe(true);
        expect(feeMinor >= 0n && feeMinor < amountMinor).toBe(true);
        expect([amountMinor % stepOf(met), feeMinor % stepOf(met)]).toEqual([0n, 0n]);
        const theirs = met.rules.kind === 'mobile' ? met.network?.networkLimits : met.rules.networkLimits;
        if (theirs) expect(amountMinor - feeMinor >= theirs.minMinor && amountMinor <= theirs.maxMinor).toBe(true);
        const again = { ...sentAgain(currency.code, parsed.value), ...amounts(met, parsed.value) };
        expect(valueOf(parseDisburse(currency, again))).toEqual({
          amount,
          fee,
          destination,
        });
      }),
      { numRuns: 150 },
    );
    // Otherwise the property would be vacuous.
    expect(accepted).toBeGreaterThan(15);
  });

  it.each(EACH.filter(([, { lookups }]) => lookups.length > 0))(
    '%s: whose name is asked for is the same the second time',
    (_, currency) => {
      const cases = PAYOUT_CASES.filter(
        ([, one]) => one.currency === currency && currency.lookups.some(({ kind }) => kind === one.rules.kind),
      );
      fc.assert(
        fc.property(
          fc.constantFrom(...cases).chain(([, one]) => requestOf(one)),
          (body) => {
            const parsed = parseNameRequest(currency, body);
            if (!parsed.ok) return;
            const { destination } = parsed.value;
            expect(valueOf(parseNameRequest(currency, fieldsOfDestination(destination)))).toEqual({
              destination,
              accountName: null,
            });
          },
        ),
      );
    },
  );

  it.each(EACH.filter(([, { bankTransfer }]) => bankTransfer !== null))(
    '%s: an account is the same the second time, and so is its amount',
    (_, currency) => {
      const { accountNumber, minMinor, maxMinor } = currency.bankTransfer ?? {
        accountNumber: { pattern: /^$/ },
        minMinor: 0n,
        maxMinor: 0n,
      };
      const identifiers = currency.banks.flatMap(({ code, swift, paybill, nip, alt_codes }) => [
        code,
        swift,
        paybill,
        nip,
        ...(alt_codes ?? []),
      ]);
      const aliases = fc.constantFrom(...identifiers.filter((one) => one !== undefined));
      fc.assert(
        fc.property(
          fc.stringMatching(accountNumber.pattern),
          aliases,
          fc.bigInt({ min: minMinor, max: maxMinor }),
          (account_number, bank_code, minor) => {
            const parsed = parseBankTransfer(currency, { account_number, bank_code, amount: formatDecimal(minor, 2) });
            if (!parsed.ok) {
              expect(refusalOf(parsed).code).toBe('unknown_bank');
              return;
            }
            const { destination, amount } = parsed.value;
            expect(amount.minor).toBe(minor);
            expect(
              valueOf(
                parseBankTransfer(currency, { ...fieldsOfDestination(destination), amount: formatDecimal(minor, 2) }),
              ),
            ).toEqual(parsed.value);
          },
        ),
      );
    },
  );
});

function amounts({ minorDecimals }: PayoutCase, { amount, fee }: PayoutRequest): Body {
  return { amount: formatDecimal(amount.minor, minorDecimals), fee: formatDecimal(fee.minor, minorDecimals) };
}

/** Valid recipients in any spelling, amounts around the limits. */
function requestOf(one: PayoutCase): fc.Arbitrary<Body> {
  const { currency, rules, network, minorDecimals } = one;
  const { minMinor, maxMinor } = rules.limits;
  const minor = fc.oneof(
    fc.bigInt({ min: 0n, max: maxMinor + 10n }),
    fc.bigInt({ min: minMinor / stepOf(one), max: maxMinor / stepOf(one) }).map((steps) => steps * stepOf(one)),
  );
  const text = minor.map((value) => formatDecimal(value, minorDecimals));
  const phone = fc
    .tuple(fc.constantFrom('0', currency.phone_code, `+${currency.phone_code}`), nationalNumbers(currency))
    .map((parts) => parts.join(''));
  const identifiers = currency.banks
    .flatMap(({ code, swift, alt_codes }) => [code, swift, ...(alt_codes ?? [])])
    .filter((id) => id !== undefined);
  const fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    amount: text,
    fee: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: text }),
    type: spellings(TYPE_CHOICES[rules.kind].name),
    ...(network && {
      shortcode: phone,
      mobile_network: fc.constantFrom(network.name, ...network.aliases).chain(spellings),
    }),
    ...((rules.kind === 'till' || rules.kind === 'paybill') && {
      shortcode: fc.stringMatching(rules.shortcode.pattern),
    }),
    ...((rules.kind === 'bank' || rules.kind === 'paybill') && {
      account_number: fc.stringMatching(rules.accountNumber.pattern),
    }),
    ...(rules.kind === 'bank' && {
      bank_code: fc.constantFrom(...identifiers),
      bank_name: fc.constant('as we call it'),
    }),
  };
  return fc.record(fields).map((made) => ({ ...recipientFields(one), ...made }));
}

describe('names of lists', () => {
  const LISTS: (readonly [string, readonly NamedChoice[]])[] = [
    ['chains', CHAINS],
    ['types', Object.values(TYPE_CHOICES)],
    ...ALL_CURRENCIES.flatMap(({ code, payouts }) =>
      payouts.flatMap(({ currency, destinations }) =>
        destinations.flatMap((rules): (readonly [string, readonly NamedChoice[]])[] =>
          rules.kind === 'mobile' ? [[`networks of ${code} in ${currency}`, rules.networks]] : [],
        ),
      ),
    ),
  ];

  it.each(LISTS)('%s: no name means two of them', (_, choices) => {
    const folded = namesIn(choices).map(
      ([name, choice]) => [name.toLowerCase().replace(/[ _-]/g, ''), choice] as const,
    );
    for (const [name, choice] of folded)
      for (const [other, another] of folded) if (name === other) expect(another).toBe(choice);
  });

  it.each(LISTS)('%s: each name and alias, however it is spelled, is answered canonically', (_, choices) => {
    const spelt = fc
      .constantFrom(...namesIn(choices))
      .chain(([name, choice]) => fc.tuple(spellings(name), fc.constant(choice)));
    fc.assert(fc.property(spelt, ([sent, choice]) => expect(choiceNamed(choices, sent)).toBe(choice)));
  });

  it.each(PAYOUT_CASES.filter(([, { network }]) => network !== null))(
    '%s is paid by each of its aliases, and answered by its name',
    (_, one) => {
      for (const name of one.network ? [one.network.name, ...one.network.aliases] : []) {
        const amount = formatDecimal(limitsOf(one).minMinor, one.minorDecimals);
        const { destination } = valueOf(
          parseDisburse(one.currency, { ...recipientFields(one), amount, mobile_network: name }),
        );
        expect((destination as LookupDestination & { mobile_network: string }).mobile_network).toBe(one.network?.name);
      }
    },
  );
});
