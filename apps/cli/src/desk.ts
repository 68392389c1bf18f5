import type { ServiceDesks } from '@vuka/admin';
import type { WebhookView } from '@vuka/notifier';
import type { LedgerView, StuckReport, TransactionReport } from '@vuka/payments';

import { DeadLetterDesk, type DeadLetterCalls } from './dead-letter-desk.js';
import type { DeadLetterView, GivenUpView } from './message-views.js';
import { nextSteps } from './pages/next-step.js';
import { standingChecks, type StandingView } from './standing-checks/standing-checks.js';
import { toldOr } from './told-or.js';

/** What `show --json` prints. */
export interface TransactionPage extends TransactionReport {
  /** null: notifier could not be asked. */
  readonly webhooks: readonly WebhookView[] | null;
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
  /** Services that could not be asked, and why: of what they know nothing stands here. */
  readonly not_asked: readonly string[];
}

/** `sound_as_read`: no rule is broken, and not everything was read. */
export type LedgerVerdict = 'sound' | 'sound_as_read' | 'not_sound';

/** What `ledger --json` prints. `ok`: no rule is broken, and nothing that should be there to be read was away. */
export interface LedgerPage extends LedgerView, Pick<StandingView, 'not_read' | 'deposits_under_way'> {
  readonly verdict: LedgerVerdict;
}

/** The desks of the services, each on its own tables, put together. */
export class Desk {
  readonly letters: DeadLetterDesk;

  readonly gateway: ServiceDesks['gateway'];
  readonly payments: ServiceDesks['payments'];
  readonly offramp: ServiceDesks['offramp'];
  readonly checkout: ServiceDesks['checkout'];
  readonly notifier: ServiceDesks['notifier'];

  constructor(
    desks: ServiceDesks,
    /** What people know it by: the data folder, or the file that says where the services are. */
    readonly where: string,
    /** A Vuka works there: what is decided here is carried on within seconds. */
    readonly isRunning: boolean,
  ) {
    ({
      gateway: this.gateway,
      payments: this.payments,
      offramp: this.offramp,
      checkout: this.checkout,
      notifier: this.notifier,
    } = desks);
    this.letters = new DeadLetterDesk(Object.values(desks) as DeadLetterCalls[]);
  }

  async show(transactionId: number): Promise<TransactionPage | undefined> {
    const [report, webhooks] = await Promise.all([
      this.payments.report(transactionId),
      toldOr(this.notifier.webhooksOf(transactionId), null, []),
    ]);
    return report && { ...report, webhooks };
  }

  async stuck(): Promise<StuckPage> {
    const away: string[] = [];
    const [report, letters, deliveries] = await Promise.all([
      this.payments.stuck(),
      this.letters.list(),
      toldOr(this.givenUp(), { rows: [], more: false }, away),
    ]);
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
      not_asked: [...new Set([...letters.notAsked, ...away])],
    };
  }

  /** The ledger's own rules, and what offramp, chains and rails say of it. */
  async ledger(): Promise<LedgerPage> {
    const view = await this.payments.ledger();
    const { checks, not_read, deposits_under_way } = await standingChecks({ desks: this, isRunning: this.isRunning });
    const holds = view.ok && checks.every(({ broken }) => broken.length === 0);
    const verdict = !holds ? 'not_sound' : not_read.length > 0 ? 'sound_as_read' : 'sound';
    return {
      ...view,
      ok: holds && !not_read.some(({ is_away }) => is_away),
      verdict,
      checks: [...view.checks, ...checks],
      not_read,
      deposits_under_way,
    };
  }

  /** notifier knows transactions by id; their codes are payments' to tell. */
  private async givenUp(): Promise<{ rows: GivenUpView[]; more: boolean }> {
    const { deliveries, more } = await this.notifier.givenUp();
    const codes = await this.payments.codesOf([...new Set(deliveries.map(({ transaction_id }) => transaction_id))]);
    return {
      rows: deliveries.map((delivery) => ({
        ...delivery,
        transaction_code: codes.get(delivery.transaction_id) ?? String(delivery.transaction_id),
      })),
      more,
    };
  }
}

function withNext<T extends object>(rows: readonly T[], next: (row: T) => string[]): WithNext<T>[] {
  return rows.map((row) => ({ ...row, next: next(row) }));
}

/** When what was decided takes effect. */
export function whenCarriedOn(desk: Desk): string {
  return desk.isRunning ? 'within seconds' : 'when Vuka starts again';
}
