import { acts, partnerIdGiven as partnerId, reads, reasonGiven, type OpenDesk } from '@vuka/contracts';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods } from '@vuka/persistence';
import { z } from 'zod';

import { DepositRecords } from './deposit-records.js';
import { moneyMethods } from './money-methods.js';
import { RailBalances } from './rail-balances.js';
import { PaymentsDesk, type PaymentsDeskDependencies } from './payments-desk.js';

export type PaymentsDeskMethods = ReturnType<typeof methodsOf>;

const number = z.int().positive();
/** Of a list: a service never reads a whole table into its memory. */
const most = number.max(500);
const recordsAtOnce = number.max(5_000);
const MOST_NAMED = 500;
/** Of what may be on one side only: what offramp tells of at once. */
const MOST_ASKED = 10_000;
const outcome = z.enum(['paid', 'not_paid', 'cleared']);

/** What people may see and do of payments: through its own login and tables. Throws where the database is not reached or does not know this login. */
export async function openPaymentsDesk(deps: PaymentsDeskDependencies): Promise<OpenDesk<PaymentsDeskMethods>> {
  const desk = await PaymentsDesk.open(deps);
  return {
    methods: methodsOf(desk, deps),
    missingMigrations: () => desk.missingMigrations(),
    close: () => desk.close(),
  };
}

const methodsOf = (desk: PaymentsDesk, { clock, providers = [] }: PaymentsDeskDependencies) => ({
  ...actMethods(desk.db),
  ...deadLetterMethods(desk.db, clock),
  ...moneyMethods(desk.money),
  find: reads([z.string().min(1).max(100), partnerId.nullable()], (codeOrId, ofPartner) =>
    desk.find(codeOrId, ofPartner),
  ),
  codesOf: reads([z.array(number).max(1_000)], (ids) => desk.codesOf(ids)),
  report: reads([number], (transactionId) => desk.report(transactionId)),
  stuck: reads([], () => desk.stuck()),
  ledger: reads([], () => desk.ledger()),
  /** The ledger's side of what chains hold. */
  chainAccounts: reads(
    [z.object({ deposits: z.array(number).max(MOST_ASKED), refunds: z.array(number).max(MOST_ASKED) })],
    (asked) => desk.chainAccounts(asked),
  ),
  /** What each rail says it holds, against the ledger's account of it. */
  railBalances: reads([], () => new RailBalances(desk.db, providers).read()),
  /** By id, to be held against offramp's. */
  depositsAfter: reads([z.int().nonnegative(), recordsAtOnce], (id, limit) =>
    new DepositRecords(desk.db).after(id, limit),
  ),
  depositsNamed: reads([z.array(number).max(MOST_NAMED)], (ids) => new DepositRecords(desk.db).named(ids)),
  unapplied: reads([most], (limit) => desk.unapplied(limit)),
  openRefunds: reads([most], (limit) => desk.openRefunds(limit)),
  settlement: reads([number], (id) => desk.settlement(id)),
  propose: acts(
    {
      transactionId: number,
      outcome,
      receipt: z.string().max(100).nullable(),
      paid: z.object({ minor: z.bigint(), currency: z.string().regex(/^[A-Z]{3}$/) }).nullable(),
      evidence: reasonGiven,
    },
    (proposal) => desk.settlements.propose(proposal),
  ),
  approve: acts({ settlementId: number }, (act) => desk.settlements.approve(act)),
  withdraw: acts({ settlementId: number, reason: reasonGiven }, (act) => desk.settlements.withdraw(act)),
  release: acts({ transactionId: number, reason: reasonGiven }, (wish) => desk.release(wish)),
  incidents: reads(
    [z.object({ partnerId: partnerId.optional(), before: number.optional(), limit: z.int().min(1).max(500) })],
    (wanted) => desk.incidents(wanted),
  ),
  resolveIncident: acts({ incidentId: number, note: reasonGiven }, ({ incidentId, by, note }) =>
    desk.resolveIncident(incidentId, by, note),
  ),
  setReturnAddress: acts(
    { partnerId, chain: z.string().max(40), address: z.string().max(200).nullable(), reason: reasonGiven },
    (address) => desk.setReturnAddress(address),
  ),
});
