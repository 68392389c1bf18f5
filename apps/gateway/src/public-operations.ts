import { ACCOUNT_OPERATIONS, REFERENCE_OPERATIONS } from './account/index.js';
import { BANK_OPERATIONS, NAME_OPERATIONS } from './directory/index.js';
import { DOCS_OPERATIONS } from './docs/index.js';
import { HEALTH_OPERATIONS } from './health/index.js';
import { ORDER_OPERATIONS } from './orders/index.js';
import { PAY_PAGE_OPERATIONS } from './pay-page/index.js';
import { PAYOUT_OPERATIONS, SANDBOX_OPERATIONS } from './payouts/index.js';
import { QUOTE_OPERATIONS, RATE_OPERATIONS } from './rates/index.js';
import { REFUND_OPERATIONS } from './refunds/index.js';
import { TRANSACTION_OPERATIONS } from './transactions/index.js';
import { WEBHOOK_OPERATIONS } from './webhooks/index.js';

import { Global, Module } from '@nestjs/common';

import { OperationTable } from './operations/index.js';

/** Everything the gateway answers, in the order of the published document. A feature's rows stand in its own folder. */
export const OPERATIONS = {
  ...PAYOUT_OPERATIONS,
  ...REFUND_OPERATIONS,
  ...QUOTE_OPERATIONS,
  ...ORDER_OPERATIONS,
  ...RATE_OPERATIONS,
  ...NAME_OPERATIONS,
  ...TRANSACTION_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...BANK_OPERATIONS,
  ...REFERENCE_OPERATIONS,
  ...DOCS_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  ...HEALTH_OPERATIONS,
  ...PAY_PAGE_OPERATIONS,
} as const;

export type OperationName = keyof typeof OPERATIONS;

@Global()
@Module({
  providers: [{ provide: OperationTable, useValue: new OperationTable(OPERATIONS) }],
  exports: [OperationTable],
})
export class PublicOperationsModule {}
