import type { SealedColumn } from '@vuka/persistence';
import { type Cipher, urlBinding, type WebhookCipher } from '@vuka/runtime';

import { bodyOf, sealedFor } from '../secrets/index.js';

const DELIVERY = { table: 'deliveries', key: { id: 'bigint', occurred_at: 'timestamptz' } } as const;

export function sealedColumns(cipher: Cipher, told: WebhookCipher): SealedColumn[] {
  return [
    ...['sealed_secret', 'previous_sealed_secret'].map((column) => ({
      table: 'webhook_secrets',
      column,
      key: { partner_id: 'bigint' },
      cipher,
      boundTo: ({ partner_id: partnerId }: Readonly<Record<string, string>>) => sealedFor(Number(partnerId)),
    })),
    {
      ...DELIVERY,
      column: 'body',
      reads: ['transaction_id', 'sequence'],
      cipher,
      boundTo: ({ transaction_id: transactionId = '', sequence }) =>
        bodyOf({ transactionId, sequence: Number(sequence) }),
    },
    {
      ...DELIVERY,
      column: 'callback_url',
      reads: ['partner_id'],
      cipher: told,
      isUrl: true,
      boundTo: ({ partner_id: partnerId = '' }) => urlBinding(partnerId),
    },
  ];
}
