import { type CallbackPlan, isFinal } from '../behaviour/behaviour.js';
import { failureReason } from '../behaviour/failure-codes.js';
import type { Payout } from '../book/payout.js';
import { fromHundredths } from '../data/amount.js';
import { findProvider, PROVIDERS } from '../data/provider-table.js';
import { secondsText } from '../data/seconds-text.js';

const OTHER_ID = '00000000-0000-4000-8000-000000000000';

/** What status and callback say of a payout, its number's faults included. */
export function payoutView(payout: Payout): Record<string, unknown> {
  const { request, state, behaviour } = payout;
  const { customerMessage, clientReferenceId, metadata } = request;
  const fault = behaviour.record ?? {};
  const receipt = state === 'COMPLETED' && fault.withoutReceipt !== true ? payout.standing?.receipt : undefined;
  return {
    payoutId: request.payoutId,
    status: state,
    ...recordOf(payout),
    ...(customerMessage !== undefined && { customerMessage }),
    ...(clientReferenceId !== undefined && { clientReferenceId }),
    created: secondsText(payout.acceptedAtMs),
    ...(receipt !== undefined && { providerTransactionId: receipt }),
    ...(state === 'FAILED' && fault.withoutReason !== true && { failureReason: failureReason(payout.failureCode) }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** The final body, or what the plan says in its place. */
export function callbackBody(payout: Payout, plan: CallbackPlan): Record<string, unknown> {
  const view = payoutView(payout);
  if (plan.says === undefined) return view;
  switch (plan.says) {
    case 'other_id':
      return { ...view, payoutId: OTHER_ID };
    case 'other_amount':
      return { ...view, amount: oneMore(payout) };
    case 'opposite':
      return opposite(payout, view);
  }
}

function opposite(payout: Payout, view: Record<string, unknown>): Record<string, unknown> {
  const { failureReason: _reason, providerTransactionId: _receipt, ...rest } = view;
  return payout.state === 'COMPLETED'
    ? { ...rest, status: 'FAILED', failureReason: failureReason('RECIPIENT_NOT_FOUND') }
    : { ...rest, status: 'COMPLETED', providerTransactionId: 'PP0000000000' };
}

/** Amount, currency, country and recipient as the record has them. */
function recordOf(payout: Payout): Record<string, unknown> {
  const { request, behaviour } = payout;
  const fault = behaviour.record ?? {};
  return {
    amount:
      fault.amount === 'other' ? oneMore(payout) : fault.amount === 'respelled' ? respelled(payout) : request.amount,
    currency: fault.currency === 'other' ? otherCurrency(request.currency) : request.currency,
    country: payout.wallet.id.country,
    recipient: {
      type: 'MMO',
      accountDetails: {
        phoneNumber: fault.phone === 'other' ? otherPhone(request.phoneNumber) : request.phoneNumber,
        provider: fault.provider === 'other' ? otherProvider(request.provider) : request.provider,
      },
    },
  };
}

function oneMore({ request, amount }: Payout): string {
  const more = fromHundredths(amount + 100n);
  return request.amount.includes('.') ? more : more.slice(0, -3);
}

function respelled({ request, amount }: Payout): string {
  return request.amount.includes('.') ? `${fromHundredths(amount)}0` : fromHundredths(amount);
}

function otherPhone(phone: string): string {
  const digit = phone.at(-5) === '0' ? '1' : '0';
  return phone.slice(0, -5) + digit + phone.slice(-4);
}

function otherProvider(name: string): string {
  return PROVIDERS.find(({ provider }) => provider !== name)?.provider ?? name;
}

function otherCurrency(own: string): string {
  const all = PROVIDERS.flatMap(({ currencies }) => currencies.map(({ currency }) => currency));
  return all.find((currency) => currency !== own) ?? own;
}

/** What the book says to who tests: nothing is hidden. */
export function bookView(payout: Payout): Record<string, unknown> {
  const { request, state, failureCode, payments } = payout;
  return {
    payoutId: request.payoutId,
    status: state,
    ...(isFinal(state) && failureCode !== '' && { failureCode }),
    amount: request.amount,
    currency: request.currency,
    country: findProvider(request.provider)?.country,
    provider: request.provider,
    phoneNumber: request.phoneNumber,
    sentence: payout.behaviour.sentence,
    payments: payments.map(({ receipt, atMs, reversed }) => ({ receipt, at: secondsText(atMs), reversed })),
  };
}
