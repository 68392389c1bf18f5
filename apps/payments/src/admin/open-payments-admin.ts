import type { OpenAdmin } from '@vuka/contracts';
import { openAdmin, type AdminGround } from '@vuka/service-host';

import { paymentsMigrations } from '../commit/index.js';
import { AdminModule } from './admin.module.js';
import { PaymentsAdmin, type PaymentsAdminMethods } from './payments-admin.js';

/** With its own database login. Throws if the database is away or refuses it. */
export function openPaymentsAdmin(ground: AdminGround): Promise<OpenAdmin<PaymentsAdminMethods>> {
  return openAdmin(
    { name: 'payments', migrations: paymentsMigrations, module: AdminModule, root: PaymentsAdmin },
    ground,
  );
}
