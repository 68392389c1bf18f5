import type { AskedRefund } from '../partner/asked-refund.js';
import type { IncomingTransfer } from '../books/chain-book.js';
import type { ToldOrder } from './check-orders.js';
import { spelled } from '../books/chain-facts.js';
import { goesBack, owingPartners, pricedOf, wentBack } from './check-wallets.js';
import { addressOf, failedForDeposit, isNamed, type DepositView } from './deposit-fate.js';
import type { OutsideView, RefundView, Told } from './outside-view.js';

interface Unused {
  readonly partner: number;
  readonly incomingTransfer: IncomingTransfer;
  readonly left: bigint;
  readonly part?: 'priced' | 'beyond';
}

interface Promised {
  readonly name: string;
  readonly isDue: boolean;
}

/** Each refund went to its address, once and exactly, and nothing else left the refund wallets. */
export function refundFaults(
  told: readonly Told[],
  { refunds, deposits }: Pick<OutsideView, 'refunds' | 'deposits'>,
  orders: readonly ToldOrder[] = [],
): string[] {
  if (refunds === undefined || deposits === undefined) return [];
  const unused = [...unusedOfPartners(deposits, told), ...unusedOfOrders(orders)].filter((one) => !isUsedUp(one, told));
  const promised = unused.flatMap((one) => promisedOf(one, told, refunds) ?? []);
  const owing = owingPartners(told);
  return [
    ...told.filter(({ sent }) => !owing.has(sent.partner)).flatMap(keptFaults),
    ...answerFaults(refunds, unused),
    ...leftFaults(promised, refunds),
  ];
}

/**
 * Value leaves once: value behind a payout, or credited to the wallet, does not go back too.
 * If the payout is paid after its refund started, the partner owes the payment and the refund goes on.
 * A transfer that its chain took back is another transfer.
 */
function isUsedUp({ partner, incomingTransfer, part }: Unused, told: readonly Told[]): boolean {
  if (part === 'beyond') return false;
  return told.some(({ sent, row, fate, vanished }) => {
    if (
      sent.partner !== partner ||
      vanished !== null ||
      fate?.kind !== 'funds' ||
      fate.incomingTransfer !== incomingTransfer
    )
      return false;
    if (row.status !== 'FAILED') return row.status !== 'PENDING';
    return !failedForDeposit(row) && !wentBack(sent, row, pricedOf(fate));
  });
}

/** Whole, or in parts where a quote priced only a part. */
function unusedOfPartners(deposits: DepositView, told: readonly Told[]): Unused[] {
  const incomingTransfers = deposits.books.flatMap((book) => book.incomingTransfers);
  return [...deposits.addresses.keys()].flatMap((partner) =>
    incomingTransfers
      .filter(({ address, chain }) => addressOf(deposits, partner, chain) === address)
      .flatMap((incomingTransfer) => partsOf(partner, incomingTransfer, told)),
  );
}

function partsOf(partner: number, incomingTransfer: IncomingTransfer, told: readonly Told[]): Unused[] {
  const fate = told
    .map((one) => (one.sent.partner === partner ? one.fate : null))
    .find((one) => one?.kind === 'funds' && one.incomingTransfer === incomingTransfer && one.beyond > 0n);
  if (fate?.kind !== 'funds') return [{ partner, incomingTransfer, left: incomingTransfer.received }];
  return [
    { partner, incomingTransfer, left: incomingTransfer.received - fate.beyond, part: 'priced' },
    { partner, incomingTransfer, left: fate.beyond, part: 'beyond' },
  ];
}

function unusedOfOrders(orders: readonly ToldOrder[]): Unused[] {
  return orders.flatMap(({ sent: { partner }, fate }) =>
    fate.incomingTransfers.map(({ incomingTransfer, left }): Unused => ({ partner, incomingTransfer, left })),
  );
}

/** A pay that failed for good and named a refund address has a refund, unless its partner owes. */
function keptFaults({ sent, row, fate, vanished }: Told): string[] {
  const isOwed =
    vanished === null &&
    fate?.kind === 'funds' &&
    row.status === 'FAILED' &&
    !failedForDeposit(row) &&
    goesBack(sent, pricedOf(fate));
  return isOwed && !row['refund'] ? [`${sent.code} failed, named an address, and has no refund`] : [];
}

/** An answered refund is about a real transfer, and the whole unused rest of it. */
function answerFaults({ asked }: RefundView, unused: readonly Unused[]): string[] {
  return asked.flatMap(({ told, ...one }) => {
    if (told === null) return [];
    const isThere = unused.some(
      (some) =>
        isOf(some, one) &&
        some.incomingTransfer.token.symbol === told.asset &&
        some.left === BigInt(told.amount.replace('.', '')),
    );
    return isThere
      ? []
      : [
          `${told.amount} ${told.asset} of ${one.hash} on ${one.chain} is told to go back, and did not come, or was used`,
        ];
  });
}

function promisedOf(
  { partner, incomingTransfer, left, part }: Unused,
  told: readonly Told[],
  { asked }: RefundView,
): Promised | null {
  // Other transfers go back only on request.
  const pay = told.find(
    ({ sent, row, fate }) =>
      Boolean(row['refund']) &&
      fate !== null &&
      fate.kind !== 'nothing' &&
      fate.incomingTransfer === incomingTransfer &&
      sent.partner === partner,
  );
  const hasFailed = pay !== undefined && pay.row.status === 'FAILED' && !failedForDeposit(pay.row);
  if (part === 'priced' && !(hasFailed && goesBack(pay.sent, { ...incomingTransfer, received: left }))) return null;
  const asks = asked.filter((one) => isOf({ partner, incomingTransfer }, one));
  const to = asks.find((one) => one.told !== null)?.told?.address ?? pay?.sent.deposit?.refundTo ?? asks[0]?.to;
  if (!to || (part !== 'beyond' && pay?.row['refund'] === 'FAILED')) return null;
  const isDue = pay?.row['refund'] === 'COMPLETE' && (part !== 'beyond' || !hasFailed);
  return {
    name: nameOf({
      chain: incomingTransfer.chain,
      to: spelled(incomingTransfer.chain, to),
      symbol: incomingTransfer.token.symbol,
      value: left,
    }),
    isDue,
  };
}

function leftFaults(promised: readonly Promised[], { outflows }: RefundView): string[] {
  const left = counted(outflows.map(nameOf));
  const most = counted(promised.map(({ name }) => name));
  const least = counted(promised.filter(({ isDue }) => isDue).map(({ name }) => name));
  return [...new Set([...left.keys(), ...most.keys()])].flatMap((name) => {
    const [times, due, allowed] = [left, least, most].map((count) => count.get(name) ?? 0) as [number, number, number];
    if (times > allowed) return [`${name} left a refund wallet ${times} times, and ${allowed} were asked for`];
    return times < due ? [`${name} left a refund wallet ${times} times, and ${due} are COMPLETE`] : [];
  });
}

function isOf(
  { partner, incomingTransfer }: Pick<Unused, 'partner' | 'incomingTransfer'>,
  asked: Pick<AskedRefund, 'partner' | 'chain' | 'hash'>,
): boolean {
  return asked.partner === partner && isNamed(incomingTransfer, asked);
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
}

const nameOf = ({ chain, to, symbol, value }: { chain: string; to: string; symbol: string; value: bigint }): string =>
  `${value} ${symbol} to ${to} on ${chain}`;
