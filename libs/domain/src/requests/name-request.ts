import type { Currency, DestinationRules, LookupRules } from '../currency/currency.js';
import type { DestinationKind, LookupDestination } from '../destination/destination.js';
import {
  ACCOUNT_NAME,
  bankReader,
  destinationReader,
  mobileReader,
  neededByAll,
  tillReader,
  typeField,
  type DestinationReader,
} from '../destination/destination-fields.js';
import {
  described,
  faultsOf,
  optional,
  patternText,
  readFields,
  refusal,
  required,
  type Read,
  type RequestFields,
} from './field-rules.js';
import { onceFor } from './once-for.js';
import { walletField } from './payout-request.js';
import { fail, ok, type Problem, type Result } from '../result/result.js';

export interface NameRequest {
  readonly destination: LookupDestination;
  /** null: not sent. */
  readonly accountName: string | null;
}

const NAME_FIELDS = {
  account_name: optional(described(ACCOUNT_NAME, 'The name you expect: the answer says whether it matches.')),
};

const readers = onceFor((currency: Currency): ReadonlyMap<DestinationKind, DestinationReader<LookupDestination>> => {
  const known = currency.payouts[0].destinations;
  return new Map(
    currency.lookups.map((lookup) => [lookup.kind, readerOf(currency, lookup, rulesOfKind(known, lookup.kind))]),
  );
});

/** Throws if a lookup kind has no payout rules: a registry error that tests find. */
function rulesOfKind(known: readonly DestinationRules[], kind: DestinationKind): DestinationRules {
  const rules = known.find((candidate) => candidate.kind === kind);
  if (rules === undefined) throw new Error(`nothing is paid to a ${kind}`);
  return rules;
}

function readerOf(
  currency: Currency,
  lookup: LookupRules,
  rules: DestinationRules,
): DestinationReader<LookupDestination> {
  switch (rules.kind) {
    case 'mobile':
      return mobileReader(currency, rules);
    case 'paybill':
      // A lookup of a paybill needs no account.
      return destinationReader({ shortcode: required(patternText(rules.shortcode)) }, (values) =>
        ok({ kind: 'paybill', ...values }),
      );
    case 'till':
      return tillReader(rules);
    case 'bank':
      return bankReader(currency, rules, {
        accountName: false,
        bankName: lookup.kind === 'bank' && lookup.bankNameRequired,
      });
  }
}

const lookupTypeField = onceFor(({ lookups }: Currency) => typeField(lookups.map(({ kind }) => kind)));

/** `currency` does not change the lookup, but must be valid. */
const besides = onceFor((currency: Currency) => ({
  ...NAME_FIELDS,
  ...(currency.payouts.length > 1 && { currency: walletField(currency) }),
}));

/** By kind of destination. */
export function nameRequestFields(currency: Currency) {
  return [...readers(currency)].map(([kind, { fields }]) => ({
    kind,
    fields: { type: lookupTypeField(currency), ...fields, ...besides(currency) },
  }));
}

/**
 * interface.md, Validation request fields; decisions.md section 2. Faults as in `parseBankTransfer`. Errors:
 * invalid_request, unsupported_network, unsupported_currency, unknown_bank.
 */
export function parseNameRequest(currency: Currency, body: RequestFields): Result<NameRequest, Problem> {
  const type = readFields(body, { type: lookupTypeField(currency) });
  const rest = readFields(body, besides(currency));
  const destination = readDestination(currency, type.ok ? type.value.type?.kind : undefined, body);
  if (!type.ok || !destination.ok || !rest.ok) return refusal(faultsOf(type, destination, rest));
  return ok({ destination: destination.value, accountName: rest.value.account_name ?? null });
}

/** If the kind is unclear, checks only the fields that all kinds need. */
function readDestination(
  currency: Currency,
  kind: DestinationKind | undefined,
  body: RequestFields,
): Read<LookupDestination> {
  const all = readers(currency);
  const possible = kind === undefined ? [...all.values()] : [all.get(kind)].filter((reader) => reader !== undefined);
  const [only, ...others] = possible;
  if (only === undefined || others.length > 0) return fail(faultsOf(readFields(body, neededByAll(possible))));
  return only.read(body);
}
