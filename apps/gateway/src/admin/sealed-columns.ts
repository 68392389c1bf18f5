import { reads } from '@vuka/contracts';
import { type Queryable, type SealedColumn } from '@vuka/persistence';
import { type Clock, urlBinding, type WebhookCipher } from '@vuka/runtime';
import type { KeyPeppers } from '@vuka/service-host';

export function sealedColumns(told: WebhookCipher): SealedColumn[] {
  return ['webhook_url', 'webhook_disabled_url'].map((column) => ({
    table: 'partners',
    column,
    key: { id: 'bigint' },
    cipher: told,
    isUrl: true as const,
    boundTo: ({ id = '' }) => urlBinding(id),
  }));
}

export interface PepperView {
  readonly pepper: string;
  /** That are neither revoked nor expired. */
  readonly keys: number;
  /** New keys are hashed with it. */
  readonly newest: boolean;
  /** False: it is not in the secrets file, so its keys open nothing. */
  readonly known: boolean;
}

export const pepperMethods = (db: Queryable, peppers: KeyPeppers, clock: Clock) => ({
  /** Of the keys that are valid: a pepper without any may go. */
  keyPeppers: reads([], async (): Promise<PepperView[]> => {
    const rows = await db.query<{ pepper: string; keys: number }>(
      `select pepper, count(*)::integer as keys from api_keys
        where revoked_at is null and (expires_at is null or expires_at > $1) group by pepper order by pepper`,
      [clock.now()],
    );
    const known = new Set(peppers.map(({ id }) => id));
    const unused = [...known].filter((id) => !rows.some(({ pepper }) => pepper === id));
    return [...rows, ...unused.map((pepper) => ({ pepper, keys: 0 }))].map(({ pepper, keys }) => ({
      pepper,
      keys,
      newest: pepper === peppers[0]?.id,
      known: known.has(pepper),
    }));
  }),
});
