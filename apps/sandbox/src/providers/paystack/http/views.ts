import { isUnpaid, type WebhookPlan } from '../behaviour/behaviour.js';
import type { Recipient } from '../book/recipients.js';
import { sessionIdOf } from '../book/paystack-book.js';
import type { Transfer } from '../book/transfer.js';
import { CURRENCIES } from '../data/channel-table.js';
import { jsonInteger } from '../data/json-integer.js';
import { type Account, isLive } from './account.js';

type Json = Record<string, unknown>;

const INTEGRATION = 463_433;
const REQUESTS_FROM = 1_000_000_000;
export const OTHER_REFERENCE = 'another-reference-0001';
const OTHER_RECIPIENT = 'RCP_0000000000';

const textOf = (ms: number): string => new Date(ms).toISOString();
const domainOf = (account: Account): string => (isLive(account) ? 'live' : 'test');

/** As POST /transfer answers. */
export function initiatedView(account: Account, transfer: Transfer): Json {
  const { request, recipient, atMs } = transfer.accepted;
  return {
    transfersessionid: [],
    transfertrials: [],
    domain: domainOf(account),
    amount: jsonInteger(transfer.amount),
    currency: request.currency,
    reference: request.reference,
    source: 'balance',
    source_details: null,
    reason: request.reason,
    status: transfer.status,
    failures: null,
    transfer_code: transfer.code,
    titan_code: null,
    transferred_at: null,
    id: transfer.id,
    integration: INTEGRATION,
    request: REQUESTS_FROM + transfer.id,
    recipient: recipient.id,
    createdAt: textOf(atMs),
    updatedAt: textOf(transfer.updatedAtMs),
  };
}

/** As verify, fetch and list tell a transfer, its number's faults included. */
export function recordView(account: Account, transfer: Transfer): Json {
  const record = recordOf(account, transfer);
  return transfer.behaviour.record?.spelling === 'snake' ? inSnake(record) : record;
}

function recordOf(account: Account, transfer: Transfer): Json {
  const { request, atMs, fee } = transfer.accepted;
  const fault = transfer.behaviour.record ?? {};
  const failure = isUnpaid(transfer.status) && transfer.failure !== '' ? transfer.failure : null;
  return {
    amount: jsonInteger(fault.amount === 'other' ? transfer.amount + 100n : transfer.amount),
    createdAt: textOf(atMs),
    currency: fault.currency === 'other' ? otherThan(request.currency) : request.currency,
    domain: domainOf(account),
    failures: fault.failures === 'object' && failure !== null ? { message: failure } : null,
    id: transfer.id,
    integration: INTEGRATION,
    reason: request.reason,
    reference: fault.reference === 'other' ? OTHER_REFERENCE : request.reference,
    source: 'balance',
    source_details: null,
    status: transfer.status,
    titan_code: null,
    transfer_code: transfer.code,
    request: REQUESTS_FROM + transfer.id,
    transferred_at: transfer.paidAtMs === null ? null : textOf(transfer.paidAtMs),
    updatedAt: textOf(transfer.updatedAtMs),
    recipient: recipientOf(account, transfer),
    session: sessionOf(transfer),
    fee_charged: jsonInteger(fee),
    fees_breakdown: null,
    gateway_response: fault.failures === 'object' ? null : failure,
  };
}

function recipientOf(account: Account, { accepted: { recipient }, behaviour }: Transfer): Json {
  const fault = behaviour.record ?? {};
  const view = recipientView(account, recipient);
  const details = view['details'] as Json;
  return {
    ...view,
    ...(fault.recipient === 'other' && { recipient_code: OTHER_RECIPIENT }),
    details: {
      ...details,
      ...(fault.account === 'other' && { account_number: otherAccount(recipient.request.accountNumber) }),
      ...(fault.bank === 'other' && { bank_code: otherBank(recipient) }),
    },
  };
}

/** As POST and GET /transferrecipient tell it. */
export function recipientView(account: Account, recipient: Recipient): Json {
  const { request, isDeleted } = recipient;
  return {
    active: !isDeleted,
    createdAt: textOf(recipient.atMs),
    currency: request.currency,
    description: request.description,
    domain: domainOf(account),
    email: null,
    id: recipient.id,
    integration: INTEGRATION,
    metadata: null,
    name: request.name,
    recipient_code: recipient.code,
    type: request.type,
    updatedAt: textOf(recipient.atMs),
    is_deleted: isDeleted,
    isDeleted,
    details: {
      authorization_code: null,
      account_number: request.accountNumber,
      account_name: recipient.accountName,
      bank_code: request.bankCode,
      bank_name: recipient.bankName,
    },
  };
}

function sessionOf({ accepted, behaviour, sessionId, lastLine, updatedAtMs, isConclusive }: Transfer): Json {
  const { withoutSession, withSession } = behaviour.record ?? {};
  const made = withSession === true && isConclusive ? sessionIdOf(lastLine, updatedAtMs) : sessionId;
  const id = withoutSession === true ? null : made;
  return { provider: id === null ? null : accepted.recipient.channel.session, id };
}

const EVENTS: Readonly<Record<string, string>> = {
  success: 'transfer.success',
  failed: 'transfer.failed',
  reversed: 'transfer.reversed',
};

/** Of others no webhook is documented [D]. */
export const isTold = ({ status }: Transfer): boolean => Object.hasOwn(EVENTS, status);

/** The body of a webhook, or what the plan says in its place. */
export function webhookBody(account: Account, transfer: Transfer, plan: WebhookPlan): Json {
  const { spelling, says } = { spelling: account.settings.webhooks.spelling, ...plan };
  const { fees_breakdown: _fees, request: _request, ...record } = recordOf(account, transfer);
  const data: Json = {
    ...record,
    integration: {
      id: INTEGRATION,
      is_live: isLive(account),
      business_name: account.settings.businessName,
    },
    ...(says === 'other_amount' && { amount: jsonInteger(transfer.amount + 100n) }),
    ...(says === 'other_reference' && { reference: OTHER_REFERENCE }),
    ...(says === 'opposite' && opposite(transfer)),
  };
  const event = says === 'other_event' ? 'transfer.something_new' : EVENTS[String(data['status'])];
  return { event: event ?? 'transfer.pending', data: spelling === 'snake' ? inSnake(olderOf(data)) : data };
}

/** Without what came with the newer spelling, but for words of a failure. */
function olderOf({ fee_charged: _fee, gateway_response: said, ...rest }: Json): Json {
  return { ...rest, ...(said !== null && { gateway_response: said }) };
}

function opposite(transfer: Transfer): Json {
  if (transfer.status === 'success') return { status: 'failed', session: { provider: null, id: null } };
  const { session } = transfer.accepted.recipient.channel;
  const id = session === null ? null : sessionIdOf(transfer.lastLine, transfer.updatedAtMs);
  return { status: 'success', gateway_response: null, session: { provider: session, id } };
}

/** created_at in place of createdAt, the recipient's too. */
function inSnake({ createdAt, updatedAt, isDeleted: _isDeleted, ...rest }: Json): Json {
  const recipient = rest['recipient'] as Json | undefined;
  return {
    ...rest,
    ...(recipient !== undefined && { recipient: inSnake(recipient) }),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

export function otherAccount(own: string): string {
  return own.slice(0, -5) + (own.at(-5) === '0' ? '1' : '0') + own.slice(-4);
}

function otherBank({ channel, request }: Recipient): string {
  return channel.banks.find(({ code }) => code !== request.bankCode)?.code ?? 'OTHER';
}

function otherThan(own: string): string {
  return CURRENCIES.find((currency) => currency !== own) ?? own;
}

/** What the book says to who tests: nothing is hidden. */
export function bookView({ accepted, amount, status, failure, code, behaviour, payments }: Transfer): Json {
  const { request, recipient } = accepted;
  return {
    reference: request.reference,
    transfer_code: code,
    status,
    ...(failure !== '' && { failure }),
    amount: jsonInteger(amount),
    currency: request.currency,
    type: recipient.request.type,
    account_number: recipient.request.accountNumber,
    bank_code: recipient.request.bankCode,
    sentence: behaviour.sentence,
    payments: payments.map(({ receipt, atMs, reversed }) => ({ receipt, at: textOf(atMs), reversed })),
  };
}
