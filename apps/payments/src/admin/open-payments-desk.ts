import type { OpenDesk } from '@vuka/contracts';
import { openDesk, type DeskGround } from '@vuka/service-host';

import { paymentsMigrations } from '../commit/index.js';
import { AdminModule } from './admin.module.js';
import { PaymentsDesk, type PaymentsDeskMethods } from './payments-desk.js';

/** What people may see and do of payments: through its own login and tables. Throws where the database is not reached or does not know this login. */
export function openPaymentsDesk(ground: DeskGround): Promise<OpenDesk<PaymentsDeskMethods>> {
  return openDesk(
    { name: 'payments', migrations: paymentsMigrations, module: AdminModule, root: PaymentsDesk },
    ground,
  );
}
