import type { OpenAdmin } from '@vuka/contracts';
import { openAdmin, type AdminGround } from '@vuka/service-host';

import { paymentsMigrations } from '../commit/index.js';
import { AdminModule } from './admin.module.js';
import { PaymentsAdmin, type PaymentsAdminMethods } from './payments-admin.js';

/** What people may see and do of payments: through its own login and tables. Throws where the database is not reached or does not know this login. */
export function openPaymentsAdmin(ground: AdminGround): Promise<OpenAdmin<PaymentsAdminMethods>> {
  return openAdmin(
    { name: 'payments', migrations: paymentsMigrations, module: AdminModule, root: PaymentsAdmin },
    ground,
  );
}
