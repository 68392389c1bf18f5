import { Inject, Injectable } from '@nestjs/common';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database, resealMethods, type SealedColumn } from '@vuka/persistence';
import { Cipher, type Clock, nameBinding, urlBinding, WebhookCipher } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { callbackBinding } from '../../callbacks/index.js';
import { SEALED_CHAINS } from '../../commit/index.js';
import { recipientKeyOf } from '../../transactions/index.js';

/** What every service has for its operators. */
@Injectable()
export class StandingMethods {
  readonly methods: ReturnType<typeof methodsOf>;

  constructor(db: Database, @Inject(CLOCK) clock: Clock, cipher: Cipher, told: WebhookCipher) {
    this.methods = methodsOf(db, clock, sealedColumns(cipher, told));
  }
}

const methodsOf = (db: Database, clock: Clock, columns: readonly SealedColumn[]) => ({
  ...actMethods(db, SEALED_CHAINS),
  ...deadLetterMethods(db, clock),
  ...resealMethods(db, clock, columns),
});

/** Recipients are sealed by the keys of `recipient_keys`: sealing those anew is enough. */
export function sealedColumns(cipher: Cipher, told: WebhookCipher): SealedColumn[] {
  return [
    {
      table: 'recipient_keys',
      column: 'sealed_key',
      key: { id: 'bigint' },
      reads: ['partner_id'],
      cipher,
      boundTo: ({ partner_id: partnerId }) => recipientKeyOf(Number(partnerId)),
    },
    {
      table: 'transactions',
      column: 'public_name',
      key: { id: 'bigint' },
      cipher: told,
      boundTo: ({ id = '' }) => nameBinding(id),
    },
    {
      table: 'transactions',
      column: 'callback_url',
      key: { id: 'bigint' },
      reads: ['partner_id'],
      cipher: told,
      isUrl: true,
      boundTo: ({ partner_id: partnerId = '' }) => urlBinding(partnerId),
    },
    {
      table: 'refund_urls',
      column: 'callback_url',
      key: { refund_id: 'bigint' },
      reads: ['partner_id'],
      cipher: told,
      isUrl: true,
      boundTo: ({ partner_id: partnerId = '' }) => urlBinding(partnerId),
    },
    {
      table: 'provider_callbacks',
      column: 'sealed',
      key: { id: 'bigint' },
      reads: ['provider', 'body_index'],
      cipher,
      boundTo: ({ provider = '', body_index: bodyIndex = '' }) => callbackBinding({ provider, bodyIndex }),
    },
  ];
}
