/** decisions.md section 4; also public. PROCESSING: a matching deposit was seen. */
export const ORDER_STATES = ['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** For partners; '' = none. */
export const ORDER_REASONS = ['', 'expired', 'underpaid', 'overpaid', 'late', 'wrong_asset', 'wrong_network'] as const;
export type OrderReason = (typeof ORDER_REASONS)[number];

export const ORDER_FOLLOWERS = {
  PENDING: ['PROCESSING', 'FAILED'],
  PROCESSING: ['COMPLETE', 'FAILED'],
  COMPLETE: [],
  FAILED: [],
} as const satisfies Record<OrderState, readonly OrderState[]>;

/** Found by `judgeOrder`, described in `ORDER_SITUATIONS`. */
export type OrderSituation = keyof typeof ORDER_SITUATIONS;

export const ORDER_SITUATIONS = {
  waiting: 'nothing that counts is there, and something may still come',
  in_sight: 'some of what is due is there, final or not, and the rest may still come',
  paid: 'what is due is there and final, within the tolerance',
  overpaid: 'the same, and more than the tolerance besides',
  expired: 'the time is over, and nothing came',
  underpaid: 'the time is over, and less than what is due came',
  wrong_asset: 'the time is over, and only another token came',
  wrong_network: 'the time is over, and it came on another chain',
  late: 'the time is over, and it came after that',
  undone: 'what it was completed by is not on the chain any more',
} as const satisfies Record<string, string>;

export const ORDER_CONDITIONS = {
  only_expired: 'it has only expired',
  without_reason: 'it has no reason',
} as const satisfies Record<string, string>;
type OrderCondition = keyof typeof ORDER_CONDITIONS;

/**
 * move: all `steps` in one commit, each reported. refine: only the reason changes, not reported. alarm: nothing
 * changes, but operators must know.
 */
export interface OrderOutcome {
  readonly kind: 'move' | 'refine' | 'stay' | 'alarm';
  readonly steps: readonly OrderState[];
  /** null: unchanged. */
  readonly reason: OrderReason | null;
}

export interface OrderCell {
  readonly choices: readonly { readonly when: OrderCondition; readonly then: OrderOutcome }[];
  readonly otherwise: OrderOutcome;
}

const always = (otherwise: OrderOutcome): OrderCell => ({ choices: [], otherwise });
const move = (reason: OrderReason, ...steps: readonly OrderState[]): OrderCell =>
  always({ kind: 'move', steps, reason });
const stay: OrderOutcome = { kind: 'stay', steps: [], reason: null };
const alarm = always({ kind: 'alarm', steps: [], reason: null });
const unless = (when: OrderCondition, reason: OrderReason): OrderCell => ({
  choices: [{ when, then: { kind: 'refine', steps: [], reason } }],
  otherwise: stay,
});

const ends = {
  expired: move('expired', 'FAILED'),
  underpaid: move('underpaid', 'FAILED'),
  wrong_asset: move('wrong_asset', 'FAILED'),
  wrong_network: move('wrong_network', 'FAILED'),
  late: move('late', 'FAILED'),
  // Only COMPLETE can be undone.
  undone: alarm,
} as const;

export const ORDER_TABLE = {
  // A deposit that is final at once was also seen: partners get both statuses, in order.
  PENDING: {
    waiting: always(stay),
    in_sight: move('', 'PROCESSING'),
    paid: move('', 'PROCESSING', 'COMPLETE'),
    overpaid: move('overpaid', 'PROCESSING', 'COMPLETE'),
    ...ends,
  },
  // Never back to PENDING: a vanished transfer may return in another block.
  PROCESSING: {
    waiting: always(stay),
    in_sight: always(stay),
    paid: move('', 'COMPLETE'),
    overpaid: move('overpaid', 'COMPLETE'),
    ...ends,
  },
  COMPLETE: {
    waiting: always(stay),
    in_sight: always(stay),
    paid: always(stay),
    overpaid: unless('without_reason', 'overpaid'),
    expired: always(stay),
    underpaid: always(stay),
    wrong_asset: always(stay),
    wrong_network: always(stay),
    late: always(stay),
    undone: alarm,
  },
  // A deposit that becomes final after the end was late, whenever it was sent.
  FAILED: {
    waiting: always(stay),
    in_sight: always(stay),
    paid: unless('only_expired', 'late'),
    overpaid: unless('only_expired', 'late'),
    expired: always(stay),
    underpaid: unless('only_expired', 'underpaid'),
    wrong_asset: unless('only_expired', 'wrong_asset'),
    wrong_network: unless('only_expired', 'wrong_network'),
    late: unless('only_expired', 'late'),
    undone: alarm,
  },
} as const satisfies Record<OrderState, Record<OrderSituation, OrderCell>>;

const ANSWERS: Readonly<Record<OrderCondition, (reason: OrderReason) => boolean>> = {
  only_expired: (reason) => reason === 'expired',
  without_reason: (reason) => reason === '',
};

/** Choices are tried in order. */
export function decideOrder(
  { state, reason }: { readonly state: OrderState; readonly reason: OrderReason },
  situation: OrderSituation,
): OrderOutcome {
  const cell: OrderCell = ORDER_TABLE[state][situation];
  return cell.choices.find(({ when }) => ANSWERS[when](reason))?.then ?? cell.otherwise;
}

export function isEndedOrder(state: OrderState): boolean {
  return state === 'COMPLETE' || state === 'FAILED';
}
