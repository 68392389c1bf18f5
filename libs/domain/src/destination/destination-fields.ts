import { isNameOfAnother, resolveBank, type Bank } from '../bank/bank.js';
import type {
  BankDestination,
  Currency,
  DestinationRules,
  MobileDestination,
  TillDestination,
} from '../currency/currency.js';
import {
  TYPE_CHOICES,
  type BankRecipient,
  type DestinationKind,
  type MobileRecipient,
  type PayoutDestination,
  type TillRecipient,
} from './destination.js';
import {
  described,
  fault,
  lineUpTo,
  oneOf,
  optional,
  patternText,
  readFields,
  required,
  textAs,
  type Read,
  type RequestFields,
  type RuleSet,
  type ValueRule,
  type ValuesOf,
} from '../requests/field-rules.js';
import { parsePhone } from './phone.js';
import { fail, ok } from '../result/result.js';

const MAX_NAME = 200;
const MAX_BANK_CODE = 64;

function phoneOf(currency: Currency) {
  const { example, national, bareAccepted } = currency.phone;
  const forms = `${example}, ${currency.phone_code}${example.slice(1)} or +${currency.phone_code}${example.slice(1)}`;
  return textAs((sent) => parsePhone(sent, currency), `be a mobile number such as ${forms}`, {
    description: `A mobile number: ${forms}${bareAccepted ? `, or ${example.slice(1)}` : ''}.`,
    examples: [example],
    pattern: `^(?:0|\\+?${currency.phone_code}${bareAccepted ? '|' : ''})${national.source.slice(1)}`,
  });
}

/** By code or alias. Errors: unknown_bank; invalid_request if it is no text. */
function bankOf(currency: Currency): ValueRule<Bank> {
  const anyText = lineUpTo(MAX_BANK_CODE);
  return {
    read: (value, field) => {
      const sent = anyText.read(value, field);
      if (!sent.ok) return sent;
      const bank = resolveBank(currency.code, sent.value);
      return bank.ok ? bank : fault(bank.error.code, field, bank.error.message);
    },
    schema: {
      ...anyText.schema,
      minLength: 1,
      description:
        'A code from the list of banks; paybills and other codes of a bank are accepted where they name one alone.',
    },
  };
}

export interface BankNames {
  readonly accountName: boolean;
  readonly bankName: boolean;
}

/** As the partner knows it; the provider tells the real holder. */
export const ACCOUNT_NAME = described(lineUpTo(MAX_NAME), "The holder's name as you know it.", {
  examples: ['Jane Doe'],
});

function bankFields(currency: Currency, { accountNumber }: Pick<BankDestination, 'accountNumber'>, names: BankNames) {
  const bankName = described(lineUpTo(MAX_NAME), "The bank's name; refused only where it is another bank's.");
  return {
    account_number: required(patternText(accountNumber)),
    bank_code: required(bankOf(currency)),
    ...(names.accountName && { account_name: required(ACCOUNT_NAME) }),
    bank_name: names.bankName ? required(bankName) : optional(bankName),
  };
}

/** Not another bank's name, and the bank's number length. */
function bankAccount(
  currency: Currency,
  {
    account_number,
    bank_code: bank,
    bank_name,
  }: {
    readonly account_number: string;
    readonly bank_code: Bank;
    readonly bank_name: string | undefined;
  },
): Read<BankRecipient> {
  if (bank_name !== undefined && isNameOfAnother(currency.code, bank_name, bank)) {
    const detail = `bank_name is the name of another bank; the bank_code sent is that of ${bank.name}`;
    return fail([fault('unknown_bank', 'bank_name', detail).error]);
  }
  if (bank.accountDigits !== undefined && account_number.length !== bank.accountDigits) {
    return fail([
      fault(
        'invalid_request',
        'account_number',
        `account_number must have ${String(bank.accountDigits)} digits at ${bank.name}`,
      ).error,
    ]);
  }
  return ok({ kind: 'bank', account_number, bank_code: bank.code, bank_name: bank.name });
}

export interface DestinationReader<D> {
  readonly fields: RuleSet;
  read(body: RequestFields): Read<D>;
}

export function destinationReader<R extends RuleSet, D>(
  fields: R,
  make: (values: ValuesOf<R>) => Read<D>,
): DestinationReader<D> {
  return {
    fields,
    read: (body) => {
      const read = readFields(body, fields);
      return read.ok ? make(read.value) : read;
    },
  };
}

export function mobileReader(currency: Currency, { networks }: MobileDestination): DestinationReader<MobileRecipient> {
  const fields = {
    shortcode: required(phoneOf(currency)),
    mobile_network: required(oneOf(networks, 'unsupported_network', "The recipient's network.")),
  };
  return destinationReader(fields, ({ shortcode, mobile_network }) =>
    ok({ kind: 'mobile', phone: shortcode, mobile_network: mobile_network.name }),
  );
}

export function tillReader({ shortcode }: TillDestination): DestinationReader<TillRecipient> {
  return destinationReader({ shortcode: required(patternText(shortcode)) }, (values) =>
    ok({ kind: 'till', ...values }),
  );
}

export function bankReader(
  currency: Currency,
  rules: Pick<BankDestination, 'accountNumber'>,
  names: BankNames,
): DestinationReader<BankRecipient> {
  return destinationReader(bankFields(currency, rules, names), (values) => bankAccount(currency, values));
}

export function recipientReader(currency: Currency, rules: DestinationRules): DestinationReader<PayoutDestination> {
  switch (rules.kind) {
    case 'mobile':
      return mobileReader(currency, rules);
    case 'paybill': {
      const fields = {
        shortcode: required(patternText(rules.shortcode)),
        account_number: required(patternText(rules.accountNumber)),
      };
      return destinationReader(fields, (values) => ok({ kind: 'paybill', ...values }));
    }
    case 'till':
      return tillReader(rules);
    case 'bank':
      return bankReader(currency, rules, { accountName: rules.namesRequired, bankName: rules.namesRequired });
  }
}

const PRESENT = required<unknown>({ read: (value) => ok(value), schema: {} });

export function neededByAll(readers: readonly DestinationReader<unknown>[]): RuleSet {
  const [first, ...others] = readers.map(({ fields }) =>
    Object.keys(fields).filter((field) => fields[field]?.required),
  );
  const inAll = (first ?? []).filter((field) => others.every((fields) => fields.includes(field)));
  return Object.fromEntries(inAll.map((field) => [field, PRESENT]));
}

/** Required only if there is a choice; a given one must fit anyway (decisions.md section 1). */
export function typeField(offered: readonly DestinationKind[]) {
  const rule = oneOf(
    offered.map((kind) => TYPE_CHOICES[kind]),
    'invalid_request',
  );
  return offered.length > 1 ? required(rule) : optional(rule);
}
