import type { ApprovalPlan } from '../behaviour/behaviour.js';
import type { Terms } from '../book/book-line.js';
import type { Transfer } from '../book/transfer.js';
import { findBank, toldAccount } from '../data/bank-table.js';
import type { Context } from '../http/context.js';
import { oneMore, otherAccount, otherBank, UNKNOWN_REFERENCE } from '../http/transfer-view.js';

const APPROVED = 200;

/** Queues the questions whether this transfer may be paid, if the account asks. */
export function ask(context: Context, transfer: Transfer, plans: readonly ApprovalPlan[] = plansOf(transfer)): void {
  const { url } = context.settings.approval;
  if (url === null) return;
  for (const plan of plans) {
    const terms = termsOf(transfer, plan);
    context.questions.add({
      id: transfer.request.reference,
      url,
      atMs: context.clock.nowMs + (plan.afterMs ?? 0),
      body: () => JSON.stringify(questionBody(transfer, plan)),
      ...(plan.signing !== undefined && { signing: plan.signing }),
      onAnswer: (status) => {
        if (plan.isIdle === true) return;
        // 200 approves; 400, anything else and silence refuse.
        if (status === APPROVED) context.book.approve(transfer, terms);
        else context.book.refuse(transfer);
      },
    });
  }
}

/** After a restart: what waits is asked for again, without what a stranger would ask. */
export function askAgain(context: Context): void {
  for (const transfer of context.book.all())
    if (transfer.waitsForApproval && !transfer.isFinal)
      ask(
        context,
        transfer,
        plansOf(transfer).filter(({ isIdle }) => isIdle !== true),
      );
}

function plansOf({ behaviour }: Transfer): readonly ApprovalPlan[] {
  return behaviour.approvals?.asks ?? [{}];
}

/** What is paid if this is approved. */
function termsOf({ request }: Transfer, { says, signing }: ApprovalPlan): Terms {
  const { amount, bankCode } = request;
  return {
    amount: says === 'other_amount' ? oneMore(amount) : signing === 'altered_body' ? `1${oneMore(amount, 0n)}` : amount,
    accountNumber: (says === 'other_account' ? otherAccount(request) : request).accountNumber,
    bankCode: says === 'other_bank' ? otherBank(bankCode) : bankCode,
  };
}

/** As the handbook has it [D]: a bank by its name, a wallet's number with the country before it. */
function questionBody(transfer: Transfer, plan: ApprovalPlan): Record<string, unknown> {
  const { request } = transfer;
  const { accountNumber, bankCode } = termsOf(transfer, plan);
  return {
    // What an altered body has instead is written after it was signed.
    amount: plan.says === 'other_amount' ? oneMore(request.amount) : oneMore(request.amount, 0n),
    reference: plan.says === 'other_reference' ? UNKNOWN_REFERENCE : request.reference,
    bank: findBank(bankCode)?.name,
    account_name: plan.says === 'other_name' ? 'Somebody Else' : request.accountName,
    account_number: toldAccount({ bankCode, accountNumber }),
  };
}
