import type { AttemptCell, AttemptDecision } from '../machine/attempt.js';
import { CONDITIONS, EFFECTS, type Cell, type CellPosting, type Effect, type Outcome } from '../machine/cell.js';
import { ORDER_CONDITIONS, type OrderCell, type OrderOutcome } from '../machine/order-table.js';
import { REFUND_CONDITIONS, type RefundCell, type RefundOutcome } from '../machine/refund-table.js';

const posted = (post: readonly CellPosting[]): string => (post.length === 0 ? '' : ` ${post.join('+')}`);

/** `!` already means the incident. */
const also = (effects: readonly Effect[]): string =>
  effects
    .filter((effect) => effect !== 'open_incident')
    .map((effect) => `; ${EFFECTS[effect]}`)
    .join('');

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'move':
      return outcome.steps.map(({ to, post }) => `${to}${posted(post)}`).join(', ') + also(outcome.effects);
    case 'ignore':
      return `ignore${also(outcome.effects)}`;
    case 'record':
      return `record${posted(outcome.post)}${also(outcome.effects)}`;
    case 'conflict':
      return `!${posted(outcome.post)}${also(outcome.effects)}`;
    case 'refuse':
      return 'refuse';
  }
}

/** In the format of money.md: `same receipt: ignore / else: ! duplicate_payment`. */
export function cellText(cell: Cell): string {
  const choices = cell.choices.map(({ when, then }) => `${CONDITIONS[when]}: ${outcomeText(then)}`);
  const otherwise = outcomeText(cell.otherwise);
  return choices.length === 0 ? otherwise : [...choices, `else: ${otherwise}`].join(' / ');
}

function attemptDecisionText(decision: AttemptDecision): string {
  switch (decision.kind) {
    case 'move':
      return decision.to;
    case 'conflict':
      return decision.to === null ? '!' : `! ${decision.to}`;
    case 'repeat':
      return 'repeat, same id';
    default:
      return decision.kind;
  }
}

function refundOutcomeText({ kind, to, post }: RefundOutcome): string {
  const does = `${to ?? ''}${posted(post)}`.trim();
  return kind === 'move' ? does : `${kind === 'conflict' ? '!' : kind} ${does}`.trim();
}

export function refundCellText({ choices, otherwise }: RefundCell): string {
  const last = refundOutcomeText(otherwise);
  return choices.length === 0
    ? last
    : [
        ...choices.map(({ when, then }) => `${REFUND_CONDITIONS[when]}: ${refundOutcomeText(then)}`),
        `else: ${last}`,
      ].join(' / ');
}

function orderOutcomeText({ kind, steps, reason }: OrderOutcome): string {
  const why = reason === null || reason === '' ? '' : ` ${reason}`;
  if (kind === 'move') return `${steps.join(', ')}${why}`;
  return kind === 'refine' ? `reason${why}` : kind;
}

export function orderCellText({ choices, otherwise }: OrderCell): string {
  const last = orderOutcomeText(otherwise);
  return choices.length === 0
    ? last
    : [
        ...choices.map(({ when, then }) => `${ORDER_CONDITIONS[when]}: ${orderOutcomeText(then)}`),
        `else: ${last}`,
      ].join(' / ');
}

export function attemptCellText(cell: AttemptCell): string {
  const otherwise = attemptDecisionText(cell.then);
  if (cell.ifMayRepeat !== undefined)
    return `not acknowledged and still deduped: ${attemptDecisionText(cell.ifMayRepeat)} / else: ${otherwise}`;
  return cell.ifNotTaken === undefined
    ? otherwise
    : `proven not taken: ${attemptDecisionText(cell.ifNotTaken)} / else: ${otherwise}`;
}
