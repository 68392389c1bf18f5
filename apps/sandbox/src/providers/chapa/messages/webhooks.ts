import { isFinal, isUnpaid, type WebhookPlan } from '../behaviour/behaviour.js';
import type { Transfer } from '../book/transfer.js';
import { findBank, toldAccount } from '../data/bank-table.js';
import type { Context } from '../http/context.js';
import { chargeText, oneMore, otherAccount, timeText, UNKNOWN_REFERENCE } from '../http/transfer-view.js';

const SLASH = 'failed/cancelled';

/** Queues what is told on reaching a status. */
export function tell({ webhooks, settings }: Context, transfer: Transfer, atMs: number): void {
  const { url } = settings.webhooks;
  if (url === null) return;
  const plans: readonly WebhookPlan[] = transfer.behaviour.webhooks ?? [{}];
  for (const plan of plans) {
    if (plan.on === undefined ? !isFinal(transfer.status) : plan.on !== transfer.status) continue;
    // Built now: what is told late is what it was then.
    const body = JSON.stringify(webhookBody(transfer, plan));
    webhooks.add({
      id: transfer.request.reference,
      url,
      atMs: atMs + (plan.afterMs ?? 0),
      body: () => body,
      ...(plan.signing !== undefined && { signing: plan.signing }),
    });
  }
}

/** The end as the documents print it [D], or what the plan says in its place. */
function webhookBody(transfer: Transfer, plan: WebhookPlan): Record<string, unknown> {
  const { request, terms, chapaReference } = transfer;
  const { says } = plan;
  const status = statusOf(transfer, plan);
  const bank = findBank(terms.bankCode);
  return {
    event: `payout.${status}`,
    type: 'Payout',
    account_name: request.accountName,
    account_number: toldAccount(says === 'other_account' ? otherAccount(terms) : terms),
    bank_id: terms.bankCode,
    bank_name: bank?.name,
    amount: says === 'other_amount' ? oneMore(terms.amount) : twoDecimals(terms.amount),
    charge: chargeText(transfer),
    currency: request.currency,
    status,
    reference: says === 'other_reference' ? UNKNOWN_REFERENCE : request.reference,
    chapa_reference: chapaReference,
    bank_reference: status === 'success' ? (transfer.standing?.receipt ?? 'GT00000000') : null,
    created_at: timeText(transfer.acceptedAtMs),
    updated_at: timeText(transfer.updatedAtMs),
  };
}

function statusOf({ status }: Transfer, { on, says, signing }: WebhookPlan): string {
  if (says === 'plain_failed') return 'failed';
  // What is signed well never says paid of what was not, such as after a refused approval.
  const isBelieved = signing === undefined && status !== 'success';
  if (says === 'opposite' && !isBelieved) return status === 'success' ? SLASH : 'success';
  return on === undefined && isUnpaid(status) ? SLASH : status;
}

const twoDecimals = (amount: string): string => oneMore(amount, 0n);
