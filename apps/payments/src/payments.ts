import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import type { paymentsApi, InternalHandlers } from '@vuka/contracts';
import { EventServer } from '@vuka/messaging/event-server';
import { Database, ensureMonthlyPartitions } from '@vuka/persistence';
import { nestLogger, type RunningService } from '@vuka/runtime';

import { paymentsModule } from './app.module.js';
import { MoveWriter, paymentsMigrations } from './commit/index.js';
import { RefuseCrowd, RefuseFrozen } from './controls/index.js';
import { PageByAge } from './due-work/index.js';
import { PayoutJobs } from './jobs/index.js';
import { LIST_TIMEOUT_MS, LISTS_AT_ONCE, ListTransactions, ListTurns } from './lists/index.js';
import type { PaymentsDependencies, PaymentsPools } from './payments-dependencies.js';
import { AcceptPay, AcceptPayout, ControlSandboxPayout, FindAcceptance } from './payouts/index.js';
import { GrantRefunds, RequestRefund } from './refunds/index.js';
import { TermsWatch } from './terms-watch.js';
import { GetTransaction } from './transactions/index.js';
import { Wallets, WalletStatement } from './wallets/index.js';

export interface PaymentsService extends RunningService {
  readonly handlers: InternalHandlers<typeof paymentsApi>;
  /** For the relay, which reads this service's outbox. */
  readonly db: Database;
}

const PARTITIONED = ['entries', 'transitions', 'outbox', 'inbox'];
const MONTHS_AHEAD = 2;

/**
 * Connects, migrates, wires and subscribes payments: call it before the wire and the job clock are started. Events are taken in once
 * the wire runs; start() begins the due work.
 */
export async function createPayments(deps: PaymentsDependencies): Promise<PaymentsService> {
  const pools = await connect(deps.database);
  const { db } = pools;
  const makePartitions = async (): Promise<void> => {
    for (const table of PARTITIONED) {
      // Without its month a table goes on in its default partition: somebody must look, and payments go on meanwhile.
      await ensureMonthlyPartitions(db, table, deps.clock.now(), MONTHS_AHEAD).catch((error: unknown) => {
        deps.log.error({ code: 'partition_missing', table, err: error }, 'a month of a table could not be made');
      });
    }
  };
  try {
    await db.migrate();
    await makePartitions();
    const options: AsyncMicroserviceOptions = {
      inject: [EventServer],
      useFactory: (strategy: EventServer) => ({ strategy }),
    };
    const app = await NestFactory.createMicroservice(paymentsModule(deps, pools), {
      ...options,
      logger: nestLogger(deps.log),
      abortOnError: false,
    });
    await app.listen();
    return assemble(app, pools, deps, makePartitions);
  } catch (error) {
    await close(pools);
    throw error;
  }
}

async function connect(database: PaymentsDependencies['database']): Promise<PaymentsPools> {
  const db = await Database.connect({ ...database, migrations: paymentsMigrations });
  const forLists = {
    migrations: [],
    maxConnections: LISTS_AT_ONCE,
    statementTimeoutMs: LIST_TIMEOUT_MS,
    applicationName: `${database.applicationName} lists`,
  };
  try {
    return { db, lists: await Database.connect({ ...database, ...forLists }) };
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function close({ db, lists }: PaymentsPools): Promise<void> {
  await lists.close();
  await db.close();
}

function assemble(
  app: INestMicroservice,
  pools: PaymentsPools,
  deps: PaymentsDependencies,
  makePartitions: () => Promise<void>,
): PaymentsService {
  const writer = app.get(MoveWriter);
  const granter = app.get(GrantRefunds);
  const jobs = app.get(PayoutJobs);
  const pager = app.get(PageByAge);
  let running = false;
  const { db } = pools;
  return {
    name: 'payments',
    db,
    handlers: handlersOf(app, new TermsWatch(deps.currencies, deps.log)),
    start: async () => {
      deps.jobs.every('payments.make-partitions', makePartitions);
      deps.jobs.every('payments.page-by-age', () => pager.run());
      deps.jobs.every('payments.grant-refunds', () => granter.runAll());
      jobs.start();
      running = true;
    },
    ready: async () => {
      if (!running) return 'not started';
      await db.ping();
      return true;
    },
    stop: async () => {
      if (running) await jobs.stop();
      running = false;
      // First what comes in: its moves are the last.
      await app.close();
      await writer.drain();
      await close(pools);
    },
  };
}

/** What gateways ask of payments. */
function handlersOf(app: INestMicroservice, terms: TermsWatch): PaymentsService['handlers'] {
  const accept = app.get(AcceptPayout);
  const acceptPay = app.get(AcceptPay);
  const refuseFrozen = app.get(RefuseFrozen);
  const refuseCrowd = app.get(RefuseCrowd);
  const findAcceptance = app.get(FindAcceptance);
  const getTransaction = app.get(GetTransaction);
  const listTransactions = app.get(ListTransactions);
  const statement = app.get(WalletStatement);
  const turns = app.get(ListTurns);
  const wallets = app.get(Wallets);
  const requestRefund = app.get(RequestRefund);
  const control = app.get(ControlSandboxPayout);
  return {
    acceptPayout: async (input, context) => {
      terms.hear(input.terms);
      return (await refuseFrozen.run(input.partner_id, input.transaction_code)) ?? accept.run(input, context);
    },
    acceptPay: async (input, context) => {
      terms.hear(input.terms);
      const { partner_id: partner, transaction_code: code } = input;
      return (
        (await refuseFrozen.run(partner, code)) ??
        (await refuseCrowd.run(partner, code)) ??
        acceptPay.run(input, context)
      );
    },
    findAcceptance: (input) => findAcceptance.run(input),
    getTransaction: (input) => getTransaction.run(input),
    listTransactions: (input, { deadline }) => turns.run(input.partner_id, deadline, () => listTransactions.run(input)),
    walletStatement: (input, { deadline }) => turns.run(input.partner_id, deadline, () => statement.run(input)),
    requestRefund: (input, context) => requestRefund.run(input, context),
    listWallets: (input) => wallets.list(input.partner_id),
    controlSandboxPayout: (input) => control.run(input),
    openSandboxWallets: (input) => wallets.openInSandbox(input),
  };
}
