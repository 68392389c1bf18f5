export { AccountController } from './account.controller.js';
export { DescribeAccount, type DescribeAccountOptions } from './describe-account.js';
export { DescribeWallet, type DescribeWalletOptions } from './describe-wallet.js';
export { LimitsAndFeesController } from './limits-and-fees.controller.js';
export { feesIn, type FeeView, LimitsAndFees, limitsIn, type LimitView } from './limits-and-fees.js';
export { STATEMENT_FIELDS, WalletStatement, type WalletStatementOptions } from './wallet-statement.js';
