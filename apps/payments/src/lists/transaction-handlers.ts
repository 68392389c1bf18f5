import { Injectable } from '@nestjs/common';
import type { InternalHandlers, paymentsApi } from '@vuka/contracts';

import { GetTransaction } from '../transactions/index.js';
import { ListTransactions } from './list-transactions.js';
import { ListTurns } from './list-turns.js';

type Handlers = Pick<InternalHandlers<typeof paymentsApi>, 'getTransaction' | 'listTransactions'>;

@Injectable()
export class TransactionHandlers {
  constructor(
    private readonly turns: ListTurns,
    private readonly list: ListTransactions,
    private readonly one: GetTransaction,
  ) {}

  readonly handlers: Handlers = {
    getTransaction: (input) => this.one.run(input),
    listTransactions: (input, { deadline }) => this.turns.run(input.partner_id, deadline, () => this.list.run(input)),
  };
}
