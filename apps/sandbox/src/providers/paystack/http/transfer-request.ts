import { isObject } from '../../simulation/plain-server.js';
import { type Refusal, REFUSALS } from '../behaviour/refusals.js';
import type { TransferRequest } from '../book/book-line.js';
import type { Recipient, Recipients } from '../book/recipients.js';
import { DEFAULT_CURRENCY } from '../data/channel-table.js';
import type { PaystackSettings } from '../settings.js';

export type ParsedTransfer =
  { readonly request: TransferRequest; readonly recipient: Recipient } | { readonly refusal: Refusal };

/** Lower case alone, 16 to 50 [D]. */
const REFERENCE = /^[a-z0-9_-]{16,50}$/;
const ANY_REFERENCE = /^[A-Za-z0-9_-]{1,100}$/;

/** `made` is the reference of a request without one. */
export function parseTransfer(
  body: unknown,
  recipients: Recipients,
  { references }: PaystackSettings,
  made: () => string,
): ParsedTransfer {
  if (!isObject(body)) return { refusal: REFUSALS.invalid_params };
  const { source, amount, recipient: code, currency = DEFAULT_CURRENCY, reason = null } = body;
  if (source !== 'balance') return { refusal: REFUSALS.invalid_params };
  if (!isAmount(amount)) return { refusal: REFUSALS.invalid_amount };
  if (!(reason === null || typeof reason === 'string')) return { refusal: REFUSALS.invalid_params };
  const reference = body['reference'] ?? made();
  const form = references === 'strict' ? REFERENCE : ANY_REFERENCE;
  if (typeof reference !== 'string' || !form.test(reference)) return { refusal: REFUSALS.illegal_reference };
  const recipient = typeof code === 'string' ? recipients.find(code) : undefined;
  if (recipient === undefined || recipient.isDeleted) return { refusal: REFUSALS.invalid_recipient };
  if (currency !== recipient.request.currency) return { refusal: REFUSALS.invalid_params };
  if (recipient.channel.needsAccountReference && !isText(body['account_reference']))
    return { refusal: REFUSALS.invalid_params };
  const request = { reference, amount: String(amount), currency, recipient: recipient.code, reason };
  return { request, recipient };
}

/** Minor units as a JSON integer; a string is refused [D]. */
function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
