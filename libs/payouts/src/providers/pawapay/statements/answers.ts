import { z } from 'zod';

import type { ProviderReply } from '../../../provider-http.js';
import { providerCode } from '../../../provider-text.js';

/** [D] docs.pawapay.io/v2/api-reference/finances: initiate-statement, check-statement-status. */

const failureReason = z.object({ failureCode: z.string() }).nullish();
const initiation = z.object({ statementId: z.string().max(100).nullish(), status: z.string(), failureReason });
const errorBody = z.object({ failureReason });
const state = z.object({
  status: z.string(),
  data: z
    .object({
      statementId: z.string(),
      status: z.string(),
      downloadUrl: z.string().max(8_192).nullish(),
      failureReason,
    })
    .nullish(),
});

export type Initiation = { readonly id: string } | { readonly failure: string };

/** The answer of POST /v2/statements. */
export function readInitiation(reply: ProviderReply): Initiation {
  if (reply.kind === 'no_answer') return { failure: reply.detail };
  if (reply.status !== 200) return { failure: `HTTP ${reply.status} ${codeIn(reply.body)}` };
  const { data } = initiation.safeParse(reply.body);
  if (data === undefined) return { failure: 'a statement in a shape we do not know' };
  const { statementId, status } = data;
  if (status !== 'ACCEPTED' || !statementId) return { failure: `${providerCode(status)} ${codeIn(reply.body)}` };
  return { id: statementId };
}

export type StatementState =
  | { readonly is: 'made'; readonly url: string }
  | { readonly is: 'in_the_making' }
  /** It never will be, or is no more. */
  | { readonly is: 'gone'; readonly why: string }
  /** Says nothing of it: ask again. */
  | { readonly is: 'not_told' };

/** The answer of GET /v2/statements/{statementId}. */
export function readState(reply: ProviderReply, id: string): StatementState {
  if (reply.kind === 'no_answer' || reply.status !== 200) return { is: 'not_told' };
  const { data: told } = state.safeParse(reply.body);
  if (told?.status === 'NOT_FOUND') return { is: 'gone', why: 'NOT_FOUND' };
  if (told?.status !== 'FOUND' || !told.data) return { is: 'not_told' };
  const { statementId, status, downloadUrl, failureReason: reason } = told.data;
  if (statementId !== id) return { is: 'not_told' };
  if (status === 'FAILED') return { is: 'gone', why: `FAILED ${providerCode(reason?.failureCode)}` };
  if (status !== 'COMPLETED') return { is: 'in_the_making' };
  return downloadUrl ? { is: 'made', url: downloadUrl } : { is: 'gone', why: 'COMPLETED without an address' };
}

function codeIn(body: unknown): string {
  return providerCode(errorBody.safeParse(body).data?.failureReason?.failureCode);
}
