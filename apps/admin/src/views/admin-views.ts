import type { OrderPage } from '@vuka/checkout';
import { ok, type Problem, type Result } from '@vuka/domain';
import type { KeyView, PartnerView } from '@vuka/gateway';
import type { ReplayAnswer } from '@vuka/messaging';
import type { WebhookView } from '@vuka/notifier';
import type {
  LedgerView,
  OpenRefundView,
  StuckReport,
  TransactionReport,
  TransactionSummary,
  WalletView,
} from '@vuka/payments';

import type { ServiceCalls } from '../service-calls.js';
import { standingChecks, type StandingView } from '../standing-checks/standing-checks.js';
import { collectAuditEntries, type AuditPage, type AuditEntriesWanted } from './audit-entries.js';
import { DeadLetters } from './dead-letters.js';
import type { DeadLetterView, GivenUpView } from './message-views.js';
import { toldOr } from './or-fallback.js';

export interface TransactionPage extends TransactionReport {
  /** null: notifier could not be asked. */
  readonly webhooks: readonly WebhookView[] | null;
}

/** What a code or id may mean. */
export interface ShowView {
  readonly found: readonly TransactionSummary[];
  /** If exactly one matches. */
  readonly page: TransactionPage | undefined;
  readonly order: OrderPage | undefined;
  /** Services that could not be asked, and why. */
  readonly not_asked: readonly string[];
}

/** All lists oldest first. */
export interface StuckView extends Omit<StuckReport, 'cut'> {
  readonly dead_letters: readonly DeadLetterView[];
  readonly deliveries_given_up: readonly GivenUpView[];
  /** Lists that were cut. */
  readonly cut: readonly string[];
  /** Services that could not be asked: their items are missing. */
  readonly not_asked: readonly string[];
}

/** `sound_as_read`: not everything was read. */
export type LedgerVerdict = 'sound' | 'sound_as_read' | 'not_sound';

/** Printed by `ledger --json`. `ok`: no rule broken, nothing away. */
export interface LedgerPage extends LedgerView, Pick<StandingView, 'not_read' | 'deposits_under_way'> {
  readonly verdict: LedgerVerdict;
}

export interface PartnerPage {
  readonly partner: PartnerView;
  readonly keys: readonly KeyView[];
  readonly wallets: readonly WalletView[];
}

/** `trouble`: what blocks the refund, by offramp. */
export type RefundPage = OpenRefundView & { readonly trouble: string | null };

export class AdminViews {
  readonly deadLetters: DeadLetters;

  constructor(
    private readonly services: ServiceCalls,
    private readonly isRunning: boolean,
    private readonly ofPeople: Pick<ServiceCalls['gateway'], 'acts'>,
    /** Who asks; null: the holder of the folder. */
    private readonly operator: string | null = null,
  ) {
    this.deadLetters = new DeadLetters(Object.values(services) as ServiceCalls[keyof ServiceCalls][]);
  }

  async show(codeOrId: string, partnerId: number | null): Promise<ShowView> {
    const { payments, checkout } = this.services;
    const not_asked: string[] = [];
    const [found, order] = await Promise.all([
      payments.find(codeOrId, partnerId),
      toldOr(checkout.order(codeOrId, partnerId), undefined, not_asked),
    ]);
    const [one] = found;
    const page = one !== undefined && found.length === 1 ? await this.transaction(one.id) : undefined;
    return { found, page, order, not_asked };
  }

  async transaction(transactionId: number): Promise<TransactionPage | undefined> {
    const { payments, notifier } = this.services;
    const [report, webhooks] = await Promise.all([
      payments.report(transactionId),
      toldOr(notifier.webhooksOf(transactionId), null, []),
    ]);
    return report && { ...report, webhooks };
  }

  async stuck(): Promise<StuckView> {
    const away: string[] = [];
    const [{ cut: ofReport, ...report }, deadLetters, deliveries] = await Promise.all([
      this.services.payments.stuck(),
      this.deadLetters.list(),
      toldOr(this.givenUp(), { rows: [], more: false }, away),
    ]);
    const cut: string[] = [...ofReport];
    if (deadLetters.more) cut.push('dead_letters');
    if (deliveries.more) cut.push('deliveries_given_up');
    return {
      ...report,
      dead_letters: deadLetters.deadLetters,
      deliveries_given_up: deliveries.rows,
      cut,
      not_asked: [...new Set([...deadLetters.notAsked, ...away])],
    };
  }

  async ledger(): Promise<LedgerPage> {
    const { services, isRunning, operator } = this;
    const view = await services.payments.ledger();
    const { checks, not_read, deposits_under_way } = await standingChecks({
      services,
      isRunning,
      by: operator ?? 'the ledger check',
    });
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

  async partner(idOrName: number | string): Promise<Result<PartnerPage, Problem>> {
    const { gateway, payments } = this.services;
    const found = await gateway.partner(idOrName);
    if (!found.ok) return found;
    const { partner_id: id } = found.value;
    const [keys, wallets] = await Promise.all([gateway.listKeys(id), payments.wallets(id)]);
    return ok({ partner: found.value, keys, wallets });
  }

  async refunds(limit: number): Promise<{ refunds: RefundPage[]; more: boolean }> {
    const { payments, offramp } = this.services;
    const [found, known] = await Promise.all([payments.openRefunds(limit + 1), offramp.openRefunds(limit)]);
    const troubles = new Map(known.map(({ refund_id, trouble }) => [refund_id, trouble]));
    const refunds = found
      .slice(0, limit)
      .map((refund) => ({ ...refund, trouble: troubles.get(refund.refund_id) ?? null }));
    return { refunds, more: found.length > limit };
  }

  acts(wanted: AuditEntriesWanted): Promise<AuditPage> {
    return collectAuditEntries(wanted, { ...this.services, admin: this.ofPeople });
  }

  requestReplay(wish: { group: string; eventId: string; by: string; reason: string }): Promise<ReplayAnswer> {
    return this.deadLetters.requestReplay(wish);
  }

  /** Only payments has the codes. */
  private async givenUp(): Promise<{ rows: GivenUpView[]; more: boolean }> {
    const { notifier, payments } = this.services;
    const { deliveries, more } = await notifier.givenUp();
    const codes = await payments.codesOf([...new Set(deliveries.map(({ transaction_id }) => transaction_id))]);
    return {
      rows: deliveries.map((delivery) => ({
        ...delivery,
        transaction_code: codes.get(delivery.transaction_id) ?? String(delivery.transaction_id),
      })),
      more,
    };
  }
}
