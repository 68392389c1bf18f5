import {
  ACCOUNT_ANSWERS,
  ACCOUNT_OPERATIONS,
  REFERENCE_ANSWERS,
  REFERENCE_OPERATIONS,
  TERMS_ANSWERS,
} from './account/index.js';
import { CALLBACK_OPERATIONS } from './callbacks/index.js';
import { BANK_ANSWERS, BANK_OPERATIONS, NAME_ANSWERS, NAME_OPERATIONS } from './directory/index.js';
import { DOCS_OPERATIONS } from './docs/index.js';
import { HEALTH_ANSWERS, HEALTH_OPERATIONS } from './health/index.js';
import { ORDER_ANSWERS, ORDER_OPERATIONS } from './orders/index.js';
import { PAY_PAGE_OPERATIONS } from './pay-page/index.js';
import { PAYOUT_ANSWERS, PAYOUT_OPERATIONS, SANDBOX_ANSWERS, SANDBOX_OPERATIONS } from './payouts/index.js';
import { QUOTE_OPERATIONS, RATE_ANSWERS, RATE_OPERATIONS } from './rates/index.js';
import { REFUND_ANSWERS, REFUND_OPERATIONS } from './refunds/index.js';
import { TRANSACTION_ANSWERS, TRANSACTION_OPERATIONS } from './transactions/index.js';
import { WEBHOOK_ANSWERS, WEBHOOK_OPERATIONS } from './webhooks/index.js';

import { Global, Module } from '@nestjs/common';

import { OperationTable } from './operations/index.js';

/** In the order of the document. Rows are in each feature's folder. */
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
  ...CALLBACK_OPERATIONS,
} as const;

/** By schema name, in the order of the document. */
const ANSWERS = {
  ...PAYOUT_ANSWERS,
  ...TRANSACTION_ANSWERS,
  ...NAME_ANSWERS,
  ...ACCOUNT_ANSWERS,
  ...RATE_ANSWERS,
  ...REFUND_ANSWERS,
  ...ORDER_ANSWERS,
  ...WEBHOOK_ANSWERS,
  ...REFERENCE_ANSWERS,
  ...BANK_ANSWERS,
  ...TERMS_ANSWERS,
  ...SANDBOX_ANSWERS,
  ...HEALTH_ANSWERS,
} as const;

export const OPERATION_TABLE = new OperationTable(OPERATIONS, ANSWERS);

@Global()
@Module({ providers: [{ provide: OperationTable, useValue: OPERATION_TABLE }], exports: [OperationTable] })
export class PublicOperationsModule {}
