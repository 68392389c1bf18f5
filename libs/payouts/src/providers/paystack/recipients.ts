import { createHmac } from 'node:crypto';

import { z } from 'zod';

import type { ProviderAnswer } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { localPhone, type PaystackAccount } from './channels.js';
import { readRefusal, refusedBy } from './refusals.js';

/** POST /transferrecipient. Pays nobody: whatever it answers, nothing was taken. [D] the same account has one recipient. */

/** Required, and shown in their dashboard alone. Who it is stands in the account. */
const NAME = 'Vuka recipient';

export function recipientBody({ channel, accountNumber, bankCode }: PaystackAccount): object {
  return {
    type: channel.type,
    name: NAME,
    account_number: accountNumber,
    bank_code: bankCode,
    currency: channel.currency,
  };
}

/** Whose recipient it is and of which account, in a form that tells neither without the credential. */
export function recipientKey({ channel, accountNumber, bankCode }: PaystackAccount, credential: string): string {
  const account = ['paystack recipient', channel.type, channel.currency, bankCode, accountNumber].join('\n');
  return createHmac('sha256', credential).update(account).digest('hex');
}

/** Of what is sent, or was kept. */
export const RECIPIENT_CODE = /^RCP_[A-Za-z0-9]{1,100}$/;

const created = z.object({
  status: z.literal(true),
  data: z.object({
    recipient_code: z.string().regex(RECIPIENT_CODE),
    type: z.string(),
    currency: z.string(),
    details: z.object({ account_number: z.string(), bank_code: z.string() }),
  }),
});

/** Its code, or why it could not be had. */
export function readRecipient(reply: ProviderReply, account: PaystackAccount): string | ProviderAnswer {
  if (reply.kind === 'no_answer') return unreachable(reply.detail);
  const { status, body } = reply;
  const { data } = created.safeParse(body);
  if (data === undefined) {
    const answer = refusedBy(readRefusal(status, body), `HTTP ${status} on the recipient,`);
    return answer.outcome === 'unknown' ? unreachable(answer.detail) : answer;
  }
  const { type, currency, details, recipient_code } = data.data;
  const { channel, accountNumber, bankCode } = account;
  const told = channel.kind === 'mobile' ? localPhone(details.account_number) : details.account_number;
  const isOther = type !== channel.type || currency !== channel.currency || details.bank_code !== bankCode;
  // Another account would be paid by it.
  if (isOther || told !== accountNumber) return unreachable('a recipient of another account');
  return recipient_code;
}

function unreachable(detail: string): ProviderAnswer {
  return { outcome: 'deferred', reason: 'unreachable', detail };
}
