import { z } from 'zod';

import { turnedDownBy } from '../../outcome-class.js';
import type { ProviderAnswer } from '../../payout-provider.js';
import { type NamedRow, type Refusal, refusalRow } from './codes.js';

/** [D] of every call: `{status: false, message, type?, code?}`. */
const errorBody = z.object({
  status: z.literal(false),
  message: z.string(),
  type: z.string().nullish(),
  code: z.string().nullish(),
});

export interface ReadRefusal extends Refusal {
  /** undefined: in no table. */
  readonly row: NamedRow | undefined;
}

/** null: it is no answer of theirs, or none that turns a call down. */
export function readRefusal(status: number, body: unknown): ReadRefusal | null {
  const { data } = errorBody.safeParse(body);
  if (data === undefined || status < 400 || status >= 500) return null;
  const refusal = { code: data.code ?? undefined, type: data.type ?? undefined, message: data.message };
  return { ...refusal, row: refusalRow(status, refusal) };
}

/** Nothing was taken, where the refusal is one that we know (docs/decisions/0023). */
export function refusedBy(refusal: ReadRefusal | null, how: string): ProviderAnswer {
  const row = refusal?.row;
  return turnedDownBy(row, `${how} ${row?.name ?? 'without a refusal that we know'}`);
}
