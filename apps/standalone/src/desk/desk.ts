import type { LedgerView, PaymentsDesk, StuckReport, TransactionReport } from '@vuka/payments';
import { systemClock } from '@vuka/platform';

import type { CheckoutDesk } from './checkout-desk.js';
import { DeadLetterDesk } from './dead-letter-desk.js';
import type { NotifierDesk } from './notifier-desk.js';
import type { OfframpDesk } from './offramp-desk.js';
import type { DeadLetterView, GivenUpView, WebhookView } from './message-views.js';
import { nextSteps } from './next-step.js';

/** What `show --json` prints. */
export interface TransactionPage extends TransactionReport {
  /** null: notifier could not be asked, or knows nothing of this partner. */
  readonly webhooks: readonly WebhookView[];
}

/** A thing that is stuck, with the commands that come next. */
export type WithNext<T> = T & { readonly next: readonly string[] };

/** What `stuck --json` prints: every list oldest first. */
export interface StuckPage {
  readonly parked: readonly WithNext<StuckReport['parked'][number]>[];
  readonly in_doubt: readonly WithNext<StuckReport['in_doubt'][number]>[];
  readonly review: readonly WithNext<StuckReport['review'][number]>[];
  readonly overdue: readonly WithNext<StuckReport['overdue'][number]>[];
  readonly rail_not_configured: readonly WithNext<StuckReport['rail_not_configured'][number]>[];
  readonly frozen: readonly WithNext<StuckReport['frozen'][number]>[];
  readonly incidents: readonly WithNext<StuckReport['incidents'][number]>[];
  readonly owed_by_partners: readonly WithNext<StuckReport['owed_by_partners'][number]>[];
  readonly owed_to_us: readonly WithNext<StuckReport['owed_to_us'][number]>[];
  readonly dead_letters: readonly WithNext<DeadLetterView>[];
  readonly deliveries_given_up: readonly WithNext<GivenUpView>[];
  readonly outbox_held_back: readonly WithNext<StuckReport['outbox_held_back'][number]>[];
  /** Lists that are longer than what is shown of them. */
  readonly cut: readonly string[];
}

export interface ServiceDesks {
  readonly payments: PaymentsDesk;
  readonly notifier: NotifierDesk;
  readonly offramp: OfframpDesk;
  readonly checkout: CheckoutDesk;
}

/** The desks of the services, each on its own tables, put together. */
export class Desk {
  readonly letters: DeadLetterDesk;

  readonly payments: PaymentsDesk;
  readonly notifier: NotifierDesk;
  readonly offramp: OfframpDesk;
  readonly checkout: CheckoutDesk;

  constructor(
    { payments, notifier, offramp, checkout }: ServiceDesks,
    readonly dataDir: string,
    /** A Vuka works on the folder: what is decided here is carried on within seconds. */
    readonly isRunning: boolean,
  ) {
    [this.payments, this.notifier, this.offramp, this.checkout] = [payments, notifier, offramp, checkout];
    this.letters = new DeadLetterDesk([payments, notifier, offramp, checkout].map(({ letters }) => letters), systemClock);
  }

  async show(transactionId: number): Promise<TransactionPage | undefined> {
    const [report, webhooks] = await Promise.all([this.payments.report(transactionId), this.notifier.webhooksOf(transactionId)]);
    return report && { ...report, webhooks };
  }

  async stuck(): Promise<StuckPage> {
    const [report, letters, deliveries] = await Promise.all([this.payments.stuck(), this.letters.list(), this.givenUp()]);
    const cut: string[] = [...report.cut];
    if (letters.more) cut.push('dead_letters');
    if (deliveries.more) cut.push('deliveries_given_up');
    return {
      parked: withNext(report.parked, nextSteps.parked),
      in_doubt: withNext(report.in_doubt, nextSteps.in_doubt),
      review: withNext(report.review, nextSteps.review),
      overdue: withNext(report.overdue, nextSteps.overdue),
      rail_not_configured: withNext(report.rail_not_configured, nextSteps.rail_not_configured),
      frozen: withNext(report.frozen, nextSteps.frozen),
      incidents: withNext(report.incidents, nextSteps.incidents),
      owed_by_partners: withNext(report.owed_by_partners, nextSteps.owed_by_partners),
      owed_to_us: withNext(report.owed_to_us, nextSteps.owed_to_us),
      dead_letters: withNext(letters.letters, nextSteps.dead_letters),
      deliveries_given_up: withNext(deliveries.rows, nextSteps.deliveries_given_up),
      outbox_held_back: withNext(report.outbox_held_back, nextSteps.outbox_held_back),
      cut,
    };
  }

  ledger(): Promise<LedgerView> {
    return this.payments.ledger();
  }

  async close(): Promise<void> {
    await Promise.all([this.payments, this.notifier, this.offramp, this.checkout].map((desk) => desk.close()));
  }

  /** notifier knows transactions by id; their codes are payments' to tell. */
  private async givenUp(): Promise<{ rows: GivenUpView[]; more: boolean }> {
    const { deliveries, more } = await this.notifier.givenUp();
    const codes = await this.payments.codesOf([...new Set(deliveries.map(({ transaction_id }) => transaction_id))]);
    return { rows: deliveries.map((delivery) => ({ ...delivery, transaction_code: codes.get(delivery.transaction_id) ?? String(delivery.transaction_id) })), more };
  }
}

function withNext<T extends object>(rows: readonly T[], next: (row: T) => string[]): WithNext<T>[] {
  return rows.map((row) => ({ ...row, next: next(row) }));
}
