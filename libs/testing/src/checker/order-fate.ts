import type { IncomingTransfer } from '../books/chain-book.js';
import { chainFact, SCREENED_SENDER, spelled, tokenNamed, type TokenFact } from '../books/chain-facts.js';
import { toleratedOf, worthOf, type DepositView } from './deposit-fate.js';
import type { OrderAnswer, SentOrder } from '../partner/sent-order.js';

/** What must become of an order, given its transfers (decisions.md section 4, reference/chains.md section 6). */
export interface OrderFate {
  readonly ends: readonly string[];
  readonly reasons: readonly string[];
  /** All accepted tokens at its address, on any chain. `left`: the unused part, in minor units of the token. */
  readonly incomingTransfers: readonly { readonly incomingTransfer: IncomingTransfer; readonly left: bigint }[];
}

/** A block counts this long after the order's expiry. */
export const ORDER_GRACE_MS = 30_000;

const isOver = (one: IncomingTransfer): boolean => one.finalAt !== null;
const sumOf = (incomingTransfers: readonly IncomingTransfer[]): bigint =>
  incomingTransfers.reduce((sum, { received }) => sum + received, 0n);

/**
 * `vanished`: a credited transfer that its chain took back. `now`: when the books were read.
 * If several transfers would each be enough, they are used in chain order.
 */
export function orderFate(
  sent: SentOrder,
  answer: OrderAnswer,
  books: DepositView['books'],
  { now, vanished }: { readonly now: Date; readonly vanished?: IncomingTransfer | undefined },
): OrderFate {
  const found = [...incomingTransfersOf(sent, answer, books), ...(vanished === undefined ? [] : [vanished])];
  const onTime = found.filter((one) => wouldCount(sent, answer, one));
  const counted = onTime
    .filter(isOver)
    .sort(
      (one, other) =>
        (one.finalAt?.getTime() ?? 0) - (other.finalAt?.getTime() ?? 0) || one.at.getTime() - other.at.getTime(),
    );
  const due = dueOf(answer, tokenOf(sent));
  const tolerated = toleratedOf(due, tokenOf(sent));
  const enough = counted.findIndex((_, index) => sumOf(counted.slice(0, index + 1)) >= due - tolerated);
  if (enough !== -1) {
    const used = usedOf(counted.slice(0, enough + 1), due);
    const incomingTransfers = found.map((incomingTransfer) => ({
      incomingTransfer,
      left: incomingTransfer.received - (used.get(incomingTransfer) ?? 0n),
    }));
    return { ends: ['COMPLETE'], reasons: [sumOf(counted) > due + tolerated ? 'overpaid' : ''], incomingTransfers };
  }
  const incomingTransfers = found.map((incomingTransfer) => ({ incomingTransfer, left: incomingTransfer.received }));
  if (now.getTime() <= Date.parse(answer.expires_at) + ORDER_GRACE_MS)
    return { ends: ['PENDING', 'PROCESSING'], reasons: [''], incomingTransfers };
  if (onTime.some((one) => !isOver(one))) return { ends: ['PROCESSING'], reasons: [''], incomingTransfers };
  return {
    ends: ['FAILED'],
    reasons: failuresOf(
      sent,
      answer,
      found.filter((one) => isOver(one) && !isScreened(one)),
      counted.length > 0,
    ),
    incomingTransfers,
  };
}

export function incomingTransfersOf(
  sent: Pick<SentOrder, 'network'>,
  { address }: Pick<OrderAnswer, 'address'>,
  books: DepositView['books'],
): IncomingTransfer[] {
  const { family } = chainFact(sent.network);
  const where = books.filter(({ chain }) => chainFact(chain).family === family);
  return where
    .flatMap((book) => book.incomingTransfers)
    .filter((incomingTransfer) => incomingTransfer.address === spelled(sent.network, address));
}

function wouldCount(
  sent: SentOrder,
  { expires_at: expires }: OrderAnswer,
  { chain, token, at, senders }: IncomingTransfer,
): boolean {
  const isAsked = chain === sent.network && token.symbol === sent.asset;
  return isAsked && at.getTime() <= Date.parse(expires) + ORDER_GRACE_MS && !isScreened({ senders });
}

/** A screened sender's transfer pays for nothing. */
function isScreened({ senders }: Pick<IncomingTransfer, 'senders'>): boolean {
  return senders.includes(SCREENED_SENDER.toLowerCase());
}

function usedOf(incomingTransfers: readonly IncomingTransfer[], due: bigint): ReadonlyMap<IncomingTransfer, bigint> {
  const used = new Map<IncomingTransfer, bigint>();
  let open = due;
  for (const one of [...incomingTransfers].sort((a, b) => a.at.getTime() - b.at.getTime() || a.block - b.block)) {
    const take = one.received < open ? one.received : open;
    used.set(one, take);
    open -= take;
  }
  return used;
}

function failuresOf(
  sent: SentOrder,
  { expires_at: expires }: OrderAnswer,
  came: readonly IncomingTransfer[],
  isShort: boolean,
): readonly string[] {
  if (isShort) return ['underpaid'];
  const reasons = came.map(({ chain, token, at }) => {
    if (chain !== sent.network) return 'wrong_network';
    if (token.symbol !== sent.asset) return 'wrong_asset';
    return at.getTime() > Date.parse(expires) + ORDER_GRACE_MS ? 'late' : 'expired';
  });
  return reasons.length === 0 ? ['expired'] : [...new Set(reasons)];
}

export function tokenOf({ network, asset }: Pick<SentOrder, 'network' | 'asset'>): TokenFact {
  const token = tokenNamed(network, asset);
  if (token === undefined) throw new Error(`${asset} is no token of ${network}`);
  return token;
}

/** Token minor units. Throws where the answer has other decimals than the token. */
export function dueOf(
  { asset_amount: text }: Pick<OrderAnswer, 'asset_amount'>,
  { decimals, symbol }: TokenFact,
): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  if (!/^\d+$/.test(whole + fraction) || fraction.length !== decimals)
    throw new Error(`${text} is no amount of ${symbol}`);
  return BigInt(whole + fraction);
}

/** Minor units of the order's currency: the wallet's credit if the policy credits leftovers. */
export function leftWorth({ incomingTransfers }: OrderFate, sent: SentOrder, answer: OrderAnswer): bigint {
  const final = incomingTransfers.filter(({ incomingTransfer, left }) => isOver(incomingTransfer) && left > 0n);
  return final.reduce(
    (sum, { incomingTransfer, left }) =>
      sum + worthOf({ received: left, token: incomingTransfer.token }, String(answer.rate), sent.currency),
    0n,
  );
}
