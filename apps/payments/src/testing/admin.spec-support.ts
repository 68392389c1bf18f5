import { loadSettings } from '@vuka/config';
import type { OpenAdmin } from '@vuka/contracts';
import { CURRENCIES } from '@vuka/domain';
import { Cipher, type Clock, type MonotonicClock, systemClock, WebhookCipher } from '@vuka/runtime';

import { openPaymentsAdmin, type PaymentsAdminMethods } from '../admin/index.js';
import { silent, type PaymentsDatabase } from './payments-database.spec-support.js';

export function openAdminOn(
  pg: PaymentsDatabase,
  clock: Clock & MonotonicClock = systemClock,
): Promise<OpenAdmin<PaymentsAdminMethods>> {
  return openPaymentsAdmin({
    settings: loadSettings({}),
    currencies: CURRENCIES,
    database: pg.config,
    cipher: new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]),
    webhookCipher: new WebhookCipher([{ id: 'w1', key: Buffer.alloc(32, 5) }]),
    keyPeppers: [{ id: 'p1', key: Buffer.alloc(32, 9) }],
    clock,
    log: silent,
    providerIds: ['sandbox'],
  });
}
