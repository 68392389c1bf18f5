import { hash } from 'node:crypto';

import { banksOf } from '../bank/bank.js';
import { bankTransferFields } from './bank-transfer.js';
import type { Currency, DestinationRules, PayoutRules, WalletCurrency } from '../currency/currency.js';
import { currencyDecimals } from '../currency/registry.js';
import { PAYOUT_TYPES, TYPE_CHOICES, type DestinationKind } from '../destination/destination.js';
import { objectSchema, spellings, type JsonSchema, type RuleSet } from './field-rules.js';
import { formatDecimal } from '../money/decimal.js';
import { nameRequestFields } from './name-request.js';
import { DEPOSIT_FIELDS, PAY_FIELDS } from './pay-request.js';
import {
  DISBURSE_FIELDS,
  payoutTypeField,
  recipientFieldsOf,
  walletField,
  widestMoneyFields,
} from './payout-request.js';

export type ShapedOperation = 'bank_transfer' | 'disburse' | 'pay' | 'validation';

/** For one kind and one wallet, from the rules that judge it. */
export interface RequestShape {
  readonly kind: DestinationKind;
  readonly paidIn: WalletCurrency;
  /** Draft 2020-12. */
  readonly schema: JsonSchema;
  /** Minimal; completes in the sandbox if its deposit was made. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** [] if the currency has no such operation. */
export function requestShapes(operation: ShapedOperation, currency: Currency): readonly RequestShape[] {
  switch (operation) {
    case 'bank_transfer': {
      const fields = bankTransferFields(currency);
      return fields === null
        ? []
        : [
            shapeOf(
              currency,
              'bank',
              currency.code,
              fields,
              amountExample(currency.bankTransfer?.minMinor ?? 0n, currency.code),
            ),
          ];
    }
    case 'disburse':
      return payoutShapes(currency, DISBURSE_FIELDS);
    case 'pay':
      return payoutShapes(currency, { ...DEPOSIT_FIELDS, ...PAY_FIELDS }).map((shape) =>
        withOwnTransfer(currency, shape),
      );
    case 'validation':
      return nameRequestFields(currency).map(({ kind, fields }) =>
        shapeOf(currency, kind, currency.payouts[0].currency, fields, {}),
      );
  }
}

function payoutShapes(currency: Currency, own: RuleSet): readonly RequestShape[] {
  return currency.payouts.flatMap((payouts) =>
    payouts.destinations.map((rules) => payoutShape(currency, payouts, rules, own)),
  );
}

/** A transfer pays once, so each example has its own. */
function withOwnTransfer(currency: Currency, shape: RequestShape): RequestShape {
  return {
    ...shape,
    example: { ...shape.example, transaction_hash: exampleTransfer(`${currency.code} ${shape.kind} ${shape.paidIn}`) },
  };
}

/** On the default chain; nobody made it. */
export function exampleTransfer(of: string): string {
  return `0x${hash('sha256', of, 'hex')}`;
}

function payoutShape(currency: Currency, payouts: PayoutRules, rules: DestinationRules, own: RuleSet): RequestShape {
  const [first] = currency.payouts;
  const fields: RuleSet = {
    type: payoutTypeField(payouts),
    ...widestMoneyFields(payouts.currency, rules),
    ...(currency.payouts.length > 1 && { currency: walletField(currency) }),
    ...own,
    // Last: it may require the account holder's name.
    ...recipientFieldsOf(currency, rules).fields,
  };
  const amount = amountExample(rules.limits.minMinor, payouts.currency);
  if (payouts === first) return shapeOf(currency, rules.kind, payouts.currency, fields, amount);
  const shape = shapeOf(currency, rules.kind, payouts.currency, fields, { ...amount, currency: payouts.currency });
  // Not the default wallet, so `currency` is required.
  return {
    ...shape,
    schema: withFixed(
      shape.schema,
      'currency',
      payouts.currency,
      'What amount, fee and limits are in, and which wallet pays.',
    ),
  };
}

export function withFixed(schema: JsonSchema, field: string, value: string, description: string): JsonSchema {
  const { required, properties } = schema as {
    required: readonly string[];
    properties: Readonly<Record<string, JsonSchema>>;
  };
  return {
    ...schema,
    required: [...new Set([...required, field])],
    properties: { ...properties, [field]: { type: 'string', enum: [value], description } },
  };
}

/** A whole amount, valid for every network. */
function amountExample(minMinor: bigint, currency: WalletCurrency): { amount: number } {
  return { amount: JSON.parse(formatDecimal(minMinor, currencyDecimals(currency))) as number };
}

function shapeOf(
  currency: Currency,
  kind: DestinationKind,
  paidIn: WalletCurrency,
  fields: RuleSet,
  given: Readonly<Record<string, unknown>>,
): RequestShape {
  const schema = objectSchema(fields) as { properties: Readonly<Record<string, JsonSchema>> };
  const required = Object.keys(fields).filter((field) => fields[field]?.required && !(field in given));
  const [bank] = banksOf(currency.code);
  const examples: Readonly<Record<string, unknown>> = {
    type: PAYOUT_TYPES[kind],
    bank_code: bank?.code,
    bank_name: bank?.name,
    account_name: 'Jane Doe',
  };
  const example = Object.fromEntries(
    required.map((field) => [field, examples[field] ?? exampleOf(schema.properties[field])]),
  );
  return {
    kind,
    paidIn,
    schema: fields['type']?.required
      ? withFixed(schema, 'type', PAYOUT_TYPES[kind], spellings([TYPE_CHOICES[kind]]))
      : schema,
    example: { ...example, ...given },
  };
}

function exampleOf(schema: JsonSchema | undefined): unknown {
  const listed = schema?.['examples'] ?? schema?.['enum'];
  return Array.isArray(listed) ? (listed as unknown[])[0] : undefined;
}
