import { Module } from '@nestjs/common';

import { ChainsModule } from '../chains/index.js';
import { DirectoryModule } from '../directory/index.js';
import { PartnersModule } from '../partners/index.js';
import { AccountController } from './account.controller.js';
import { DescribeAccount } from './describe-account.js';
import { DescribeWallet } from './describe-wallet.js';
import { LimitsAndFeesController } from './limits-and-fees.controller.js';
import { LimitsAndFees } from './limits-and-fees.js';
import { WalletStatement } from './wallet-statement.js';

@Module({
  imports: [ChainsModule, DirectoryModule, PartnersModule],
  controllers: [AccountController, LimitsAndFeesController],
  providers: [DescribeAccount, DescribeWallet, LimitsAndFees, WalletStatement],
})
export class AccountModule {}
