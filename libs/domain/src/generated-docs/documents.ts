import { ERROR_CATALOGUE } from '../result/errors.js';
import { FAILURE_CODES } from '../result/failure-codes.js';
import { ACCOUNT_KINDS } from '../ledger/accounts.js';
import { POSTINGS, type Posting } from '../ledger/postings.js';
import { ATTEMPT_EVENT_TYPES, ATTEMPT_TABLE, type AttemptCell } from '../machine/attempt.js';
import type { Cell } from '../machine/cell.js';
import { DEPOSIT_TABLE } from '../machine/deposit-table.js';
import { DEPOSIT_EVENT_TYPES, PAYOUT_EVENT_TYPES } from '../machine/events.js';
import { OLDER_ATTEMPT, PAYOUT_TABLE } from '../machine/payout-table.js';
import {
  isEndedOrder,
  ORDER_SITUATIONS,
  ORDER_STATES,
  ORDER_TABLE,
  type OrderCell,
  type OrderSituation,
} from '../machine/order-table.js';
import {
  PUBLIC_REFUND_STATUS,
  REFUND_EVENT_TYPES,
  REFUND_STATES,
  REFUND_TABLE,
  type RefundCell,
} from '../machine/refund-table.js';
import {
  ATTEMPT_STATES,
  INITIAL_STATE,
  isTerminal,
  TRANSACTION_STATES,
  type TransactionState,
} from '../machine/states.js';
import { attemptCellText, cellText, orderCellText, refundCellText } from './cell-text.js';
import { chainsPage } from './chains-page.js';
import { currenciesPage } from './currencies-page.js';
import { page, table } from './page-text.js';

const NOTATION = [
  '`!` is a conflict: the state stays, an incident is opened, the money that moved is posted. `record` notes the event in',
  'the history. `refuse` tells whoever asked no. Postings are in [postings.md](postings.md); `payout_released/refund_held` is refund_held for a pay with a',
  'refund address whose deposit still stands and is worth its transfer ([least refund](chains.md)), and whose partner owes nothing',
  'and is not frozen, else payout_released. `duplicate_payment` is duplicate_payment_ours in every state but FAILED and REVERSED, and in FAILED while a payment stands; a move to one of',
  'these two also posts duplicate_payment_owed where duplicate_payment_ours stands. Choices are tried from left to right.',
].join('\n');

const STATES = Object.keys(TRANSACTION_STATES) as TransactionState[];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

function diagram(starts: readonly string[], edges: readonly Edge[], ends: readonly string[]): string {
  const labels = new Map<string, Set<string>>();
  for (const { from, to, label } of edges) {
    const key = `${from} --> ${to}`;
    labels.set(key, (labels.get(key) ?? new Set()).add(label));
  }
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...starts.map((state) => `  [*] --> ${state}`),
    ...[...labels].map(([key, names]) => `  ${key}: ${[...names].join(', ')}`),
    ...ends.map((state) => `  ${state} --> [*]`),
    '```',
  ].join('\n');
}

/** Two steps in one commit give two arrows. */
function edgesOf(state: TransactionState, event: string, cell: Cell): Edge[] {
  const outcomes = [...cell.choices.map(({ then }) => then), cell.otherwise];
  return outcomes.flatMap((outcome) => {
    if (outcome.kind !== 'move') return [];
    return outcome.steps.map(({ to }, index) => ({
      from: index === 0 ? state : (outcome.steps[index - 1]?.to ?? state),
      to,
      label: event.replace('deposit.', '').replace('attempt.', ''),
    }));
  });
}

function transactionMachine(): string {
  const edges = STATES.flatMap((state) =>
    PAYOUT_EVENT_TYPES.flatMap((event) => edgesOf(state, event, PAYOUT_TABLE[state][event])),
  );
  const rows = STATES.map((state) => [
    state,
    ...PAYOUT_EVENT_TYPES.map((event) => cellText(PAYOUT_TABLE[state][event])),
  ]);
  return page(
    '# The transaction machine',
    `State × event of the current attempt, the clock or a person. Wallet-funded transactions start in ${INITIAL_STATE.wallet}, pay in\n${INITIAL_STATE.deposit}; what brings pay to QUEUED is in [deposit-table.md](deposit-table.md).`,
    diagram([INITIAL_STATE.wallet, INITIAL_STATE.deposit], edges, STATES.filter(isTerminal)),
    NOTATION,
    table(['state', ...PAYOUT_EVENT_TYPES], rows),
    '## An older attempt, whatever the state',
    table(
      ['event', 'does'],
      Object.entries(OLDER_ATTEMPT).map(([event, cell]) => [event, cellText(cell)]),
    ),
    '## What partners see',
    table(
      ['state', 'public status'],
      STATES.map((state) => [state, TRANSACTION_STATES[state]]),
    ),
  );
}

function depositTable(): string {
  const edges = STATES.flatMap((state) =>
    DEPOSIT_EVENT_TYPES.flatMap((event) => edgesOf(state, event, DEPOSIT_TABLE[state][event])),
  );
  const rows = STATES.map((state) => [
    state,
    ...DEPOSIT_EVENT_TYPES.map((event) => cellText(DEPOSIT_TABLE[state][event])),
  ]);
  return page(
    '# Verdicts on a deposit',
    'State × verdict. The row of ACCEPTED answers for every wallet-funded transaction, whatever its state: it has no deposit.\nP5u posts nothing unless the deposit is short within tolerance.',
    diagram([INITIAL_STATE.deposit], edges, ['FAILED']),
    NOTATION,
    table(['state', ...DEPOSIT_EVENT_TYPES], rows),
  );
}

function attemptMachine(): string {
  const edges = ATTEMPT_STATES.flatMap((state) =>
    ATTEMPT_EVENT_TYPES.flatMap((event): Edge[] => {
      const { then, ifNotTaken }: AttemptCell = ATTEMPT_TABLE[state][event];
      const decision = ifNotTaken ?? then;
      const target = decision.kind === 'move' || decision.kind === 'conflict' ? decision.to : null;
      return target === null
        ? []
        : [{ from: state, to: target, label: decision.kind === 'conflict' ? `${event} !` : event }];
    }),
  );
  const rows = ATTEMPT_STATES.map((state) => [
    state,
    ...ATTEMPT_EVENT_TYPES.map((event) => attemptCellText(ATTEMPT_TABLE[state][event])),
  ]);
  return page(
    '# The payout attempt',
    'One call sequence to one provider under one id of ours. SENDING is committed before the call; a new attempt starts only\nonce the one before is NOT_PAID. `!` is a conflict with what was proven before.',
    diagram(['INTENT'], edges, ['PAID', 'NOT_PAID']),
    table(['state', ...ATTEMPT_EVENT_TYPES], rows),
  );
}

function refundTable(): string {
  const edges = REFUND_STATES.flatMap((state) =>
    REFUND_EVENT_TYPES.flatMap((event): Edge[] => {
      const { choices, otherwise }: RefundCell = REFUND_TABLE[state][event];
      const label = event.replace('refund.', '');
      return [...choices.map(({ then }) => then), otherwise].flatMap(({ kind, to }) =>
        to === null ? [] : [{ from: state, to, label: kind === 'conflict' ? `${label} !` : label }],
      );
    }),
  );
  const rows = REFUND_STATES.map((state) => [
    state,
    ...REFUND_EVENT_TYPES.map((event) => refundCellText(REFUND_TABLE[state][event])),
  ]);
  return page(
    '# The life of a refund',
    'State × what is said of it: the grant by payments, the rest by offramp. It is signed only after payments has granted it. What a reversal of its deposit does is in\n[deposit-table.md](deposit-table.md): before it is SIGNED the refund fails in the commit of refunding_deposit_vanished, later the partner owes it.',
    diagram(['HELD'], edges, ['CONFIRMED', 'FAILED']),
    NOTATION,
    table(['state', ...REFUND_EVENT_TYPES], rows),
    '## What partners see',
    table(
      ['state', 'status'],
      REFUND_STATES.map((state) => [state, PUBLIC_REFUND_STATUS[state]]),
    ),
  );
}

function orderTable(): string {
  const situations = Object.keys(ORDER_SITUATIONS) as OrderSituation[];
  const edges = ORDER_STATES.flatMap((state) =>
    situations.flatMap((situation): Edge[] => {
      const { choices, otherwise }: OrderCell = ORDER_TABLE[state][situation];
      return [...choices.map(({ then }) => then), otherwise].flatMap(({ steps }) =>
        steps.map((to, at) => ({ from: steps[at - 1] ?? state, to, label: situation })),
      );
    }),
  );
  return page(
    '# The life of an order',
    [
      'State × situation. An order is judged anew from everything that is known of it each time something is told or its time is up: which situation',
      'that is, the second table says. Of several that fit, the first counts, from `undone` upwards: `overpaid`, `paid`, what is in sight, and then how it ended.',
    ].join('\n'),
    diagram(['PENDING'], edges, ORDER_STATES.filter(isEndedOrder)),
    [
      'Two states in one cell are two moves of one commit, and partners are told of both. `reason`: only the reason changes, and nobody is told. `alarm`: nothing',
      'changes, and people must know. Choices are tried from left to right.',
    ].join('\n'),
    table(
      ['state', ...situations],
      ORDER_STATES.map((state) => [
        state,
        ...situations.map((situation) => orderCellText(ORDER_TABLE[state][situation])),
      ]),
    ),
    '## Situations',
    table(['situation', 'means'], Object.entries(ORDER_SITUATIONS)),
  );
}

function postings(): string {
  const rows = Object.entries(POSTINGS as Record<string, Posting>).map(([name, { when, legs }]) => [
    name,
    when,
    legs.map(({ from, to, amount }) => `\`${from} → ${to}\` ${amount}`).join('; '),
  ]);
  const kinds = Object.entries(ACCOUNT_KINDS).map(([kind, { sign, parts }]) => [
    `\`${[kind, ...parts].join(':')}\``,
    sign,
  ]);
  return page(
    '# Postings',
    'A leg is `from → to` in one asset, so every posting is zero per asset. P partner, C currency, T token by chain, X chain,\nR provider, W its wallet. Legs of 0 are not written. `the rest` is what is held less the other legs: the markup and, for pay, the surplus.',
    table(['#', 'when', 'legs'], rows),
    '## Accounts',
    'liability: never below 0. receivable: never above 0. outside: never above 0, the negative of what provider, bank or chain\nshould show. any: either sign.',
    table(['account', 'balance'], kinds),
  );
}

function errorCodes(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(([code, { status, title }]) => [code, String(status), title]);
  return page('# Error codes', 'The header `Error-Code` of an error answer.', table(['code', 'HTTP', 'meaning'], rows));
}

function failureCodes(): string {
  return page(
    '# Failure codes',
    'The member `failure_code` of a FAILED transaction.',
    table(['code', 'meaning'], Object.entries(FAILURE_CODES)),
  );
}

/** By file name in docs/generated. */
export function generatedDocuments(): Readonly<Record<string, string>> {
  return {
    'transaction-machine.md': transactionMachine(),
    'deposit-table.md': depositTable(),
    'attempt-machine.md': attemptMachine(),
    'refund-table.md': refundTable(),
    'order-table.md': orderTable(),
    'postings.md': postings(),
    'error-codes.md': errorCodes(),
    'failure-codes.md': failureCodes(),
    'currencies.md': currenciesPage(),
    'chains.md': chainsPage(),
  };
}
