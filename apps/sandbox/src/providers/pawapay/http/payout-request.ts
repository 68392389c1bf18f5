import { isObject } from '../../simulation/plain-server.js';
import type { SubmitCode } from '../behaviour/failure-codes.js';
import type { PayoutRequest } from '../book/book-line.js';
import { decimalsOf, hundredths, isAmount } from '../data/amount.js';
import { findProvider, isPhoneOf } from '../data/provider-table.js';
import type { PawapaySettings } from '../settings.js';

export interface Refusal {
  readonly code: SubmitCode;
  readonly message: string;
}

export type ParsedPayout = { readonly request: PayoutRequest } | { readonly refusal: Refusal };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const MEMBERS = ['payoutId', 'amount', 'currency', 'recipient'] as const;
const OPTIONAL = ['clientReferenceId', 'customerMessage', 'metadata'] as const;
const MAX_METADATA = 10;

type Json = Record<string, unknown>;

export function isPayoutId(text: unknown, { payoutIds }: PawapaySettings): text is string {
  return typeof text === 'string' && (payoutIds === 'v4' ? UUID_V4 : UUID).test(text);
}

/** Technical checks first, as they come with a 4xx; then those of the provider, whose refusals come with 200 [D]. */
export function parsePayout(body: unknown, settings: PawapaySettings): ParsedPayout {
  if (!isObject(body)) return refused('INVALID_INPUT', 'the body is no JSON object');
  const members = checkMembers(body, MEMBERS, OPTIONAL) ?? checkRecipient(body['recipient']);
  if (members !== null) return { refusal: members };
  const { type, accountDetails } = body['recipient'] as Json;
  const { phoneNumber, provider } = accountDetails as Json;
  const values = { ...body, type, phoneNumber, provider };
  const broken = checkValues(values, settings) ?? checkTexts(body);
  if (broken !== null) return { refusal: broken };
  const metadata = parseMetadata(body['metadata']);
  if ('code' in metadata) return { refusal: metadata };
  const request = {
    ...pick(values, [
      'payoutId',
      'amount',
      'currency',
      'phoneNumber',
      'provider',
      'clientReferenceId',
      'customerMessage',
    ]),
    ...(body['metadata'] !== undefined && { metadata: metadata.fields }),
  } as unknown as PayoutRequest;
  const refusal = checkBusiness(request);
  return refusal === null ? { request } : { refusal };
}

function checkMembers(object: Json, required: readonly string[], optional: readonly string[]): Refusal | null {
  const missing = required.find((name) => object[name] === undefined || object[name] === null);
  if (missing !== undefined) return { code: 'MISSING_PARAMETER', message: `${missing} is missing` };
  const strange = Object.keys(object).find((name) => !required.includes(name) && !optional.includes(name));
  return strange === undefined ? null : { code: 'UNSUPPORTED_PARAMETER', message: `${strange} is not supported` };
}

function checkRecipient(recipient: unknown): Refusal | null {
  if (!isObject(recipient)) return invalid('recipient');
  const own = checkMembers(recipient, ['type', 'accountDetails'], []);
  if (own !== null) return own;
  const { accountDetails } = recipient;
  return isObject(accountDetails)
    ? checkMembers(accountDetails, ['phoneNumber', 'provider'], [])
    : invalid('accountDetails');
}

function checkValues(values: Json, settings: PawapaySettings): Refusal | null {
  if (!isPayoutId(values['payoutId'], settings)) return invalid('payoutId');
  if (typeof values['amount'] !== 'string' || !isAmount(values['amount'])) return invalid('amount');
  if (typeof values['currency'] !== 'string' || !/^[A-Z]{3}$/.test(values['currency'])) return invalid('currency');
  if (values['type'] !== 'MMO') return invalid('type');
  if (typeof values['phoneNumber'] !== 'string') return invalid('phoneNumber');
  return typeof values['provider'] === 'string' ? null : invalid('provider');
}

/** 4 to 22 letters, digits and spaces [D]; a length of the reference is not published [U]. */
function checkTexts({ customerMessage, clientReferenceId }: Json): Refusal | null {
  if (customerMessage !== undefined && !(isText(customerMessage) && /^[A-Za-z0-9 ]{4,22}$/.test(customerMessage)))
    return invalid('customerMessage');
  const isReference = clientReferenceId === undefined || (isText(clientReferenceId) && clientReferenceId !== '');
  return isReference ? null : invalid('clientReferenceId');
}

/** Ten at most, each of one member, besides which `isPII` may stand [D]. */
function parseMetadata(value: unknown): { readonly fields: Record<string, string> } | Refusal {
  const fields: Record<string, string> = {};
  if (value === undefined) return { fields };
  if (!Array.isArray(value) || value.length > MAX_METADATA) return invalid('metadata');
  for (const item of value as unknown[]) {
    const [entry, ...more] = isObject(item) ? Object.entries(item).filter(([name]) => name !== 'isPII') : [];
    if (entry === undefined || more.length > 0 || !isText(entry[1])) return invalid('metadata');
    if (Object.hasOwn(fields, entry[0]))
      return { code: 'DUPLICATE_METADATA_FIELD', message: `${entry[0]} is there twice` };
    fields[entry[0]] = entry[1];
  }
  return { fields };
}

function checkBusiness({ provider: name, currency, phoneNumber, amount }: PayoutRequest): Refusal | null {
  const provider = findProvider(name);
  if (provider === undefined) return { code: 'INVALID_PROVIDER', message: 'no such provider' };
  const rules = provider.currencies.find((known) => known.currency === currency);
  if (rules === undefined) return { code: 'INVALID_CURRENCY', message: `${name} does not pay this currency` };
  if (!isPhoneOf(provider, phoneNumber)) return { code: 'INVALID_PHONE_NUMBER', message: 'no number of this country' };
  if (decimalsOf(amount) > rules.decimals) return { code: 'INVALID_AMOUNT', message: 'too many decimals' };
  const value = hundredths(amount);
  return value < hundredths(rules.minAmount) || value > hundredths(rules.maxAmount)
    ? { code: 'AMOUNT_OUT_OF_BOUNDS', message: `not within ${rules.minAmount} and ${rules.maxAmount}` }
    : null;
}

function pick(values: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

function refused(code: SubmitCode, message: string): ParsedPayout {
  return { refusal: { code, message } };
}

function invalid(name: string): Refusal {
  return { code: 'INVALID_PARAMETER', message: `${name} is invalid` };
}

const isText = (value: unknown): value is string => typeof value === 'string';
