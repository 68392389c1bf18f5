import {
  currencyDecimals,
  fail,
  formatMoney,
  money,
  ok,
  parseDecimal,
  WALLET_CURRENCIES,
  type Money,
  type Problem,
  type Result,
  samePerson,
} from '@vuka/domain';

/** What one person proposes and another approves. */
export interface Proposal {
  readonly id: number;
  readonly proposedBy: string;
  readonly approvedBy: string | null;
  readonly withdrawnBy: string | null;
}

/** In minor units, per proposal. Larger amounts need several, each by two people. */
export const MOST_PROPOSED_MINOR = 10n ** 14n;

/** null: `by` may approve it. Who has approved it already is told the same again. `noun`: `Adjustment`. */
export function answerTo<P extends Proposal>(noun: string, proposal: P, by: string): Result<P, Problem> | null {
  const { approvedBy, proposedBy } = proposal;
  if (approvedBy !== null && samePerson(approvedBy, by)) return ok(proposal);
  const over = whyOver(noun, proposal);
  if (over) return over;
  return samePerson(by, proposedBy)
    ? fail({
        code: 'forbidden',
        message: `The person who proposed ${noun.toLowerCase()} ${proposal.id} cannot approve it`,
      })
    : null;
}

/** null: it is open. */
export function whyOver(noun: string, { id, approvedBy, withdrawnBy }: Proposal): { ok: false; error: Problem } | null {
  if (approvedBy !== null)
    return fail({
      code: 'invalid_request',
      message: `${noun} ${id} was approved and posted already, by ${approvedBy}`,
    });
  return withdrawnBy === null
    ? null
    : fail({ code: 'invalid_request', message: `${noun} ${id} was withdrawn by ${withdrawnBy}` });
}

/** `text`: a decimal of the currency. Errors: unsupported_currency, invalid_request, amount_out_of_range. */
export function amountProposed(currency: string, text: string): Result<Money, Problem> {
  if (!(WALLET_CURRENCIES as readonly string[]).includes(currency))
    return fail({ code: 'unsupported_currency', message: `currency must be one of ${WALLET_CURRENCIES.join(', ')}` });
  const minor = parseDecimal(text, currencyDecimals(currency));
  if (!minor.ok) return fail({ code: 'invalid_request', message: `amount ${minor.error}` });
  if (minor.value > 0n && minor.value <= MOST_PROPOSED_MINOR) return ok(money(minor.value, currency));
  return fail({
    code: 'amount_out_of_range',
    message: `amount must be above 0 and at most ${formatMoney(money(MOST_PROPOSED_MINOR, currency))} ${currency}`,
  });
}
