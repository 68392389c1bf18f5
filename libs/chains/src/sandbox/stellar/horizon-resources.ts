import {
  accountBody,
  feeStatsBody,
  ledgerBody,
  operationBody,
  pageBody,
  paymentBody,
  problemBody,
  rootBody,
  transactionBody,
  type Answer,
  type Body,
} from './horizon-answers.js';
import { pagingToken, type StellarLedger } from './ledger/stellar-ledger.js';
import type { StoredTransaction } from './ledger/stored-transaction.js';

const LONGEST_PAGE = 200;
const USUAL_PAGE = 10;
/** Lower case only, as Horizon. */
const HASH = /^[0-9a-f]{64}$/;
const CURSOR = /^(now|\d{1,19})$/;
const ACCOUNT = /^G[A-Z2-7]{55}$/;

export function answerGet(url: URL, ledger: StellarLedger, networkPassphrase: string): Answer {
  const [resource, id = '', part] = url.pathname.split('/').slice(1);
  switch (resource) {
    case '':
      return found(rootBody(ledger, networkPassphrase));
    case 'fee_stats':
      return found(feeStatsBody(ledger));
    case 'ledgers':
      return id === ''
        ? newestLedgers(url, ledger)
        : /^\d{1,10}$/.test(id)
          ? found(ledgerBody(ledger, Number(id)))
          : bad('ledger_id');
    case 'transactions':
      return HASH.test(id) ? transaction(id, part, url, ledger) : bad('tx_id');
    case 'accounts':
      return ACCOUNT.test(id) ? account(id, part, url, ledger) : bad('account_id');
    default:
      return missing();
  }
}

function transaction(hash: string, part: string | undefined, url: URL, ledger: StellarLedger): Answer {
  const page = pageOf(url);
  const stored = ledger.transaction(hash);
  if (page === undefined) return bad('limit');
  if (stored === undefined) return missing();
  if (part === undefined) return found(transactionBody(stored, hash));
  if (part !== 'operations' && part !== 'payments') return missing();
  const records = stored.operations.flatMap(({ payers }, index) =>
    part === 'payments' && payers.length === 0 ? [] : [operationBody(stored, index, page.isJoined)],
  );
  return found(pageBody(url.pathname, records.slice(0, page.limit)));
}

function account(id: string, part: string | undefined, url: URL, ledger: StellarLedger): Answer {
  const page = pageOf(url);
  const known = ledger.account(id);
  if (page === undefined) return bad('cursor');
  if (known === undefined) return missing();
  if (part === undefined) return found(accountBody(known));
  if (part === 'transactions')
    return found(pageBody(url.pathname, newestTransactions(ledger.transactionsOf(id), page)));
  if (part !== 'payments') return missing();
  const { cursor, isDescending, limit, isJoined, withFailed } = page;
  const all = ledger.payments(id).filter(({ transaction: { successful } }) => withFailed || successful);
  const after = isDescending
    ? all.filter(({ token }) => cursor === undefined || cursor === 'now' || token < cursor).reverse()
    : all.filter(({ token }) => cursor === undefined || (cursor !== 'now' && token > cursor));
  return found(
    pageBody(
      url.pathname,
      after.slice(0, limit).map((payment) => paymentBody(payment, isJoined)),
    ),
  );
}

function newestTransactions(
  all: readonly StoredTransaction[],
  { cursor, isDescending, limit, withFailed }: Page,
): Body[] {
  const isAfter = (stored: StoredTransaction): boolean => {
    if (cursor === undefined || cursor === 'now') return cursor === undefined || isDescending;
    return isDescending ? pagingToken(stored) < cursor : pagingToken(stored) > cursor;
  };
  const told = all
    .filter((stored) => (withFailed || stored.successful) && isAfter(stored))
    .map((stored) => transactionBody(stored, stored.hash));
  return (isDescending ? told.reverse() : told).slice(0, limit);
}

function newestLedgers(url: URL, ledger: StellarLedger): Answer {
  const page = pageOf(url);
  if (page === undefined) return bad('limit');
  const { latest, first } = ledger;
  const at = page.isDescending ? (place: number): number => latest - place : (place: number): number => first + place;
  const bodies = Array.from({ length: page.limit }, (_, place) => ledgerBody(ledger, at(place)));
  return found(
    pageBody(
      url.pathname,
      bodies.filter((body) => body !== undefined),
    ),
  );
}

interface Page {
  readonly cursor: bigint | 'now' | undefined;
  readonly limit: number;
  readonly isDescending: boolean;
  readonly isJoined: boolean;
  readonly withFailed: boolean;
}

/** Undefined if Horizon would refuse it. */
function pageOf({ searchParams }: URL): Page | undefined {
  const cursor = searchParams.get('cursor') ?? '';
  const order = searchParams.get('order') ?? 'asc';
  const limit = Number(searchParams.get('limit') ?? USUAL_PAGE);
  const join = searchParams.get('join') ?? '';
  if (cursor !== '' && !CURSOR.test(cursor)) return undefined;
  if (
    !Number.isInteger(limit) ||
    limit < 1 ||
    limit > LONGEST_PAGE ||
    !['asc', 'desc'].includes(order) ||
    !['', 'transactions'].includes(join)
  )
    return undefined;
  return {
    cursor: cursor === '' ? undefined : cursor === 'now' ? 'now' : BigInt(cursor),
    limit,
    isDescending: order === 'desc',
    isJoined: join !== '',
    withFailed: searchParams.get('include_failed') === 'true',
  };
}

const found = (body: Body | undefined): Answer => (body === undefined ? missing() : { status: 200, body });
const missing = (): Answer => ({ status: 404, body: problemBody('not_found', 'Resource Missing', 404) });
const bad = (field: string): Answer => ({
  status: 400,
  body: problemBody('bad_request', 'Bad Request', 400, {
    extras: { invalid_field: field, reason: 'it is not of the form that it has to be' },
  }),
});
