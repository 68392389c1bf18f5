import { randomUUID } from 'node:crypto';

import type { Operation } from './isolation-document.spec-support.js';
import { neverHash, type Named, type Things } from './isolation-things.spec-support.js';

export type Scope = 'payouts' | 'refunds' | 'lookups' | 'read' | 'webhooks' | 'orders';

export interface Try {
  readonly named: Readonly<Record<string, Named>>;
  /** It makes an own thing of that free name, so it runs after the reads. */
  readonly makes?: true;
  readonly answer: readonly [status: number, errorCode?: string];
  /** The owner finds nothing either: the names do not match each other. */
  readonly isNotTheOwners?: true;
  readonly anew?: readonly string[];
  readonly besides?: Readonly<Record<string, string | null>>;
}

export interface Row {
  /** decisions.md section 1: 403; null: no key needed. By kind of key, if two kinds open it. */
  readonly scope: Scope | null;
  readonly tries?: (things: Things) => readonly Try[];
}

/** Fields that name things. Cursors are not included: their pages are checked. */
export const NAMING: ReadonlySet<string> = new Set([
  'transaction_code',
  'reference',
  'transaction_hash',
  'order_id',
  'quote_id',
  'id',
  'Idempotency-Key',
]);
/** All other fields. One in neither list has not been considered. */
export const NAMING_NOTHING: ReadonlySet<string> = new Set([
  'account_name',
  'account_number',
  'amount',
  'asset',
  'bank_code',
  'bank_name',
  'buying_rate',
  'callback_url',
  'chain',
  'country',
  'currency',
  'currency_code',
  'cursor',
  'end_date',
  'event',
  'fee',
  'from',
  'limit',
  'mobile_network',
  'network',
  'refund_address',
  'Request-Id',
  'selling_rate',
  'shortcode',
  'start_date',
  'state',
  'status',
  'to',
  'type',
  'url',
]);

/** Removes the filters of the document's examples. */
export const NO_FILTERS = { state: null, event: null, status: null, transaction_code: null, order_id: null };
const NOT_FOUND = [404, 'not_found'] as const;
const like = (theirs: string): Named => ({ theirs, nobodys: randomUUID() });
/** Of the same length, and beyond every id. */
const likeId = (theirs: string | number): Named => ({
  theirs: String(theirs),
  nobodys: /^\d+$/.test(String(theirs)) ? '9'.repeat(15) : randomUUID(),
});
const byCode = ({ codes }: Things): Try[] =>
  Object.values(codes).map((code) => ({ named: { transaction_code: like(code) }, answer: NOT_FOUND }));
const hashes = ({ hashes: theirs }: Things): Named[] =>
  Object.values(theirs).map((hash) => ({ theirs: hash, nobodys: neverHash() }));

const ownPayout = (things: Things): Try => {
  const reference = things.reference();
  return { named: { reference: reference, 'Idempotency-Key': reference }, makes: true, answer: [200] };
};

const payTries = (things: Things): Try[] => {
  const own = ownPayout(things);
  return [
    { ...own, named: { ...own.named, transaction_hash: things.transfer() } },
    { named: { quote_id: like(things.quote) }, answer: NOT_FOUND, besides: { transaction_hash: neverHash() } },
  ];
};

const refundTries = (things: Things): Try[] => {
  const [, underpaid] = hashes(things) as [Named, Named];
  return [
    ...hashes(things).map((transaction_hash): Try => ({ named: { transaction_hash }, answer: NOT_FOUND })),
    { named: { transaction_hash: underpaid, 'Idempotency-Key': like(things.codes.paid) }, answer: NOT_FOUND },
    { named: { transaction_hash: underpaid, reference: like(things.codes.underpaid) }, answer: NOT_FOUND },
    { named: { transaction_hash: underpaid, order_id: like(things.order) }, answer: NOT_FOUND, isNotTheOwners: true },
  ];
};

/** The first field sent counts, and the document's example sends one. */
const transactionTries = (things: Things): Try[] => [
  ...byCode(things),
  ...Object.values(things.codes).map((code): Try => ({
    named: { reference: like(code) },
    answer: NOT_FOUND,
    besides: { transaction_code: null },
  })),
  ...hashes(things).map((transaction_hash): Try => ({
    named: { transaction_hash },
    answer: NOT_FOUND,
    besides: { transaction_code: null, reference: null },
  })),
];

const logTries = (things: Things): Try[] => [
  ...byCode(things).map((one): Try => ({ ...one, answer: [200], besides: NO_FILTERS })),
  { named: { order_id: like(things.order) }, answer: [200], besides: NO_FILTERS },
];

const ROWS: readonly (readonly [RegExp, Row])[] = [
  [/^POST \/\w+\/(bank-transfer|disburse)$/, { scope: 'payouts', tries: (things) => [ownPayout(things)] }],
  [/^POST \/v1\/pay(\/\w+)?$/, { scope: 'payouts', tries: payTries }],
  [/^POST \/v1\/quote(\/\w+)?$/, { scope: 'payouts' }],
  [
    /^POST \/sandbox\/payouts\/\{transaction_code\}\/(release|top-up|pay|reverse)$/,
    { scope: 'payouts', tries: byCode },
  ],
  [/^POST \/v1\/refund$/, { scope: 'refunds', tries: refundTries }],
  [/^POST \/v1\/validation(\/\w+)?$/, { scope: 'lookups' }],
  [
    /^POST \/v1\/checkout\/$/,
    {
      scope: 'orders',
      tries: (things) => [
        {
          named: { order_id: like(things.order) },
          makes: true,
          answer: [200],
          anew: ['address', 'payment_url', 'expires_at', 'expires_in'],
        },
      ],
    },
  ],
  [
    /^POST \/v1\/checkout\/status$/,
    { scope: 'read', tries: (things) => [{ named: { order_id: like(things.order) }, answer: NOT_FOUND }] },
  ],
  [/^POST (\/\{currency\}\/status|\/v1\/status(\/\{currency\})?)$/, { scope: 'read', tries: byCode }],
  [/^POST \/account\/\{country\}\/transaction$/, { scope: 'read', tries: transactionTries }],
  [
    /^POST (\/account\/\{country\}\/transactions|\/v1\/transactions(\/\{currency\})?|\/account\/statement)$/,
    { scope: 'read' },
  ],
  [
    /^POST \/account\/wallet\/\{id\}$/,
    { scope: 'read', tries: ({ wallet }) => [{ named: { id: likeId(wallet) }, answer: NOT_FOUND }] },
  ],
  [/^POST \/account\/(detail|countries|networks)$/, { scope: 'read' }],
  [/^POST (\/v[12]|\/account)\/exchange-rate$/, { scope: 'read' }],
  [/^POST \/v1\/(limits|(banks|fees)(\/\{currency\})?)$/, { scope: 'read' }],
  [/^POST \/v1\/webhooks\/(endpoint|test|deliveries\/resend)$/, { scope: 'webhooks' }],
  [/^POST \/v1\/webhooks\/deliveries$/, { scope: 'webhooks', tries: logTries }],
  [
    /^POST \/v1\/webhooks\/deliveries\/\{id\}\/resend$/,
    { scope: 'webhooks', tries: ({ delivery }) => [{ named: { id: likeId(delivery) }, answer: NOT_FOUND }] },
  ],
  [/^GET (\/openapi\.json|\/health\/(live|ready))$/, { scope: null }],
];

export function rowOf({ name }: Pick<Operation, 'name'>): Row | null {
  return ROWS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
