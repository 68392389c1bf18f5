import { z } from 'zod';

import type { NameAnswer, NameQuestion } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { MAX_TEXT, providerCode, providerText } from '../../provider-text.js';
import { toNamedWire } from './sandbox-recipient.js';

/** docs/engineers/sandbox-providers.md */

const refusal = z.object({ code: z.string() });
const answer = z.object({ status: z.string() });
const found = z.object({ name: z.string().transform((text) => providerText(text, MAX_TEXT.name)) });

export function lookupBody({ currency, destination }: NameQuestion): object {
  return { currency, recipient: toNamedWire(destination) };
}

/**
 * Only the documented code proves "no such recipient". `detail` quotes only codes: other members may hold the
 * name.
 */
export function readLookup(reply: ProviderReply): NameAnswer {
  if (reply.kind === 'no_answer') return failed(reply.detail);
  if (reply.status !== 200)
    return failed(`HTTP ${reply.status} ${providerCode(refusal.safeParse(reply.body).data?.code)}`);
  switch (answer.safeParse(reply.body).data?.status) {
    case 'FOUND':
      return readFound(reply.body);
    case 'NOT_FOUND':
      return { outcome: 'not_found' };
    case 'NAME_UNAVAILABLE':
      return { outcome: 'cannot_tell' };
    case undefined:
      return failed('a lookup in a shape we do not know');
    default:
      return failed('a lookup with a status in no table');
  }
}

function readFound(body: unknown): NameAnswer {
  const parsed = found.safeParse(body);
  if (!parsed.success) return failed('FOUND without a name');
  const { name } = parsed.data;
  return !/[\p{L}\p{N}]/u.test(name) ? { outcome: 'cannot_tell' } : { outcome: 'found', name };
}

function failed(detail: string): NameAnswer {
  return { outcome: 'failed', detail: providerText(detail, MAX_TEXT.detail) };
}
