import { Injectable } from '@nestjs/common';
import type { InternalHandlers, paymentsApi } from '@vuka/contracts';

import { ListTurns } from '../lists/index.js';
import { WalletStatement } from './wallet-statement.js';
import { Wallets } from './wallets.js';

type Handlers = Pick<InternalHandlers<typeof paymentsApi>, 'listWallets' | 'walletStatement' | 'openSandboxWallets'>;

@Injectable()
export class WalletHandlers {
  constructor(
    private readonly turns: ListTurns,
    private readonly statement: WalletStatement,
    private readonly wallets: Wallets,
  ) {}

  readonly handlers: Handlers = {
    listWallets: (input) => this.wallets.list(input.partner_id),
    walletStatement: (input, { deadline }) =>
      this.turns.run(input.partner_id, deadline, () => this.statement.run(input)),
    openSandboxWallets: (input) => this.wallets.openInSandbox(input),
  };
}
