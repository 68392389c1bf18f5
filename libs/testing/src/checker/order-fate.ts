import type { Arrival } from '../books/chain-book.js';
import { chainFact, SCREENED_SENDER, spelled, tokenNamed, type TokenFact } from '../books/chain-facts.js';
import { toleratedOf, worthOf, type DepositView } from './deposit-fate.js';
import type { OrderAnswer, SentOrder } from '../partner/sent-order.js';

/** What has to become of an order by what came to its address (decisions.md section 4, reference/chains.md section 6). */
export interface OrderFate {
  /** Where it has to stand; of one that is still within its time, any of several. */
  readonly ends: readonly string[];
  readonly reasons: readonly string[];
  /** Everything of accepted tokens that came to its address, on any chain, with what of it was used for nothing. Minor units of the token. */
  readonly arrivals: readonly { readonly arrival: Arrival; readonly left: bigint }[];
}

/** After its end, by which a block is still on time. */
export const ORDER_GRACE_MS = 30_000;

const isOver = (one: Arrival): boolean => one.finalAt !== null;
const sumOf = (arrivals: readonly Arrival[]): bigint => arrivals.reduce((sum, { received }) => sum + received, 0n);

/**
 * `vanished`: what its chain took back after it had been credited, as it was there. `now`: when the books were read. Where several
 * transfers came that would each do alone, what is left of which is taken by their order on the chain.
 */
export function orderFate(
  sent: SentOrder,
  answer: OrderAnswer,
  books: DepositView['books'],
  { now, vanished }: { readonly now: Date; readonly vanished?: Arrival | undefined },
): OrderFate {
  const found = [...arrivalsOf(sent, answer, books), ...(vanished === undefined ? [] : [vanished])];
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
    const arrivals = found.map((arrival) => ({ arrival, left: arrival.received - (used.get(arrival) ?? 0n) }));
    return { ends: ['COMPLETE'], reasons: [sumOf(counted) > due + tolerated ? 'overpaid' : ''], arrivals };
  }
  const arrivals = found.map((arrival) => ({ arrival, left: arrival.received }));
  if (now.getTime() <= Date.parse(answer.expires_at) + ORDER_GRACE_MS)
    return { ends: ['PENDING', 'PROCESSING'], reasons: [''], arrivals };
  if (onTime.some((one) => !isOver(one))) return { ends: ['PROCESSING'], reasons: [''], arrivals };
  return {
    ends: ['FAILED'],
    reasons: failuresOf(
      sent,
      answer,
      found.filter((one) => isOver(one) && !isScreened(one)),
      counted.length > 0,
    ),
    arrivals,
  };
}

/** Of accepted tokens at its address, wherever that is one. */
export function arrivalsOf(
  sent: Pick<SentOrder, 'network'>,
  { address }: Pick<OrderAnswer, 'address'>,
  books: DepositView['books'],
): Arrival[] {
  const { family } = chainFact(sent.network);
  const where = books.filter(({ chain }) => chainFact(chain).family === family);
  return where.flatMap((book) => book.arrivals).filter((arrival) => arrival.address === spelled(sent.network, address));
}

/** On the chain, of the token and in the time that it was asked for. */
function wouldCount(
  sent: SentOrder,
  { expires_at: expires }: OrderAnswer,
  { chain, token, at, senders }: Arrival,
): boolean {
  const isAsked = chain === sent.network && token.symbol === sent.asset;
  return isAsked && at.getTime() <= Date.parse(expires) + ORDER_GRACE_MS && !isScreened({ senders });
}

/** What the screening list has is nobody's payment. */
function isScreened({ senders }: Pick<Arrival, 'senders'>): boolean {
  return senders.includes(SCREENED_SENDER.toLowerCase());
}

/** What of each pays for the order: all that is due, oldest first. */
function usedOf(arrivals: readonly Arrival[], due: bigint): ReadonlyMap<Arrival, bigint> {
  const used = new Map<Arrival, bigint>();
  let open = due;
  for (const one of [...arrivals].sort((a, b) => a.at.getTime() - b.at.getTime() || a.block - b.block)) {
    const take = one.received < open ? one.received : open;
    used.set(one, take);
    open -= take;
  }
  return used;
}

function failuresOf(
  sent: SentOrder,
  { expires_at: expires }: OrderAnswer,
  came: readonly Arrival[],
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

/** Whole tokens, as they are answered, in minor units. Throws where they have other decimals than the token. */
export function dueOf(
  { asset_amount: text }: Pick<OrderAnswer, 'asset_amount'>,
  { decimals, symbol }: TokenFact,
): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  if (!/^\d+$/.test(whole + fraction) || fraction.length !== decimals)
    throw new Error(`${text} is no amount of ${symbol}`);
  return BigInt(whole + fraction);
}

/** What the wallet gets where what is left over is credited by policy. Minor units of the order's currency. */
export function leftWorth({ arrivals }: OrderFate, sent: SentOrder, answer: OrderAnswer): bigint {
  const final = arrivals.filter(({ arrival, left }) => isOver(arrival) && left > 0n);
  return final.reduce(
    (sum, { arrival, left }) =>
      sum + worthOf({ received: left, token: arrival.token }, String(answer.rate), sent.currency),
    0n,
  );
}
