import { z } from 'zod';

import type { NameAnswer, NameQuestion } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { MAX_TEXT, providerText } from '../../provider-text.js';
import { NGN_BANK_CODES } from './banks.js';
import { NOBODY } from './codes.js';
import { readRefusal } from './refusals.js';

/** GET /bank/resolve: the name of an account at a Nigerian bank. [U] of Ghana and Kenya, which are not asked. */

export interface ResolveQuestion {
  readonly path: string;
  readonly accountNumber: string;
}

/** null: Paystack cannot tell it. */
export function resolveQuestion({ currency, destination }: NameQuestion): ResolveQuestion | null {
  if (currency !== 'NGN' || destination.kind !== 'bank') return null;
  const bankCode = NGN_BANK_CODES.get(destination.bank_code);
  if (bankCode === undefined) return null;
  const { account_number: accountNumber } = destination;
  const asked = new URLSearchParams({ account_number: accountNumber, bank_code: bankCode });
  return { path: `/bank/resolve?${asked.toString()}`, accountNumber };
}

const resolved = z.object({
  status: z.literal(true),
  data: z.object({
    account_number: z.string(),
    account_name: z.string().transform((text) => providerText(text, MAX_TEXT.name)),
  }),
});

export function readName(reply: ProviderReply, accountNumber: string): NameAnswer {
  if (reply.kind === 'no_answer') return failed(reply.detail);
  const { status, body } = reply;
  const refusal = readRefusal(status, body);
  if (refusal !== null && NOBODY.includes(refusal.message.trim())) return { outcome: 'not_found' };
  if (status !== 200) return failed(`HTTP ${status} ${refusal?.row?.name ?? 'without a refusal that we know'}`);
  const { data } = resolved.safeParse(body);
  if (data === undefined) return failed('a name in a shape we do not know');
  const { account_number, account_name: name } = data.data;
  if (account_number !== accountNumber) return failed('the name of another account');
  return /[\p{L}\p{N}]/u.test(name) ? { outcome: 'found', name } : { outcome: 'cannot_tell' };
}

function failed(detail: string): NameAnswer {
  return { outcome: 'failed', detail: providerText(detail, MAX_TEXT.detail) };
}
