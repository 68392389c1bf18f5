import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DescribeAccount } from './describe-account.js';
import { DescribeWallet } from './describe-wallet.js';
import { ListCountries } from '../directory/index.js';
import { ListNetworks } from '../chains/index.js';
import { WalletStatement } from './wallet-statement.js';
import { bodyOf, callContextOf, callerOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { ACCOUNT_OPERATIONS, REFERENCE_OPERATIONS } from './account.operations.js';

@Controller()
export class AccountController {
  constructor(
    private readonly describeAccount: DescribeAccount,
    private readonly describeWallet: DescribeWallet,
    private readonly walletStatement: WalletStatement,
    private readonly listCountries: ListCountries,
    private readonly listNetworks: ListNetworks,
  ) {}

  @Answers(ACCOUNT_OPERATIONS.accountDetail)
  async detail(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const account = await this.describeAccount.run(callerOf(request), callContextOf(request));
    if (account.ok) sendSuccess(reply, { message: 'The account', data: account.value, exactNumbers: true });
    else sendProblem(reply, account.error);
  }

  @Answers(ACCOUNT_OPERATIONS.accountWallet)
  async wallet(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { id } = request.params as { id: string };
    const wallet = await this.describeWallet.run(callerOf(request), id, callContextOf(request));
    if (wallet.ok) sendSuccess(reply, { message: 'The wallet', data: wallet.value, exactNumbers: true });
    else sendProblem(reply, wallet.error);
  }

  @Answers(ACCOUNT_OPERATIONS.accountStatement)
  async statement(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.walletStatement.run(callerOf(request), bodyOf(request), callContextOf(request));
    if (page.ok)
      sendSuccess(reply, { message: 'The statement', data: page.value.rows, nextCursor: page.value.nextCursor });
    else sendProblem(reply, page.error);
  }

  @Answers(REFERENCE_OPERATIONS.accountCountries)
  countries(@Res() reply: FastifyReply): void {
    sendSuccess(reply, { message: 'The countries', data: this.listCountries.all(), nextCursor: null });
  }

  @Answers(REFERENCE_OPERATIONS.accountNetworks)
  async networks(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const networks = await this.listNetworks.run(callerOf(request), callContextOf(request));
    if (networks.ok) sendSuccess(reply, { message: 'The networks', data: networks.value, nextCursor: null });
    else sendProblem(reply, networks.error);
  }
}
