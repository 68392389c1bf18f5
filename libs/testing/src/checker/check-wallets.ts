import type { IncomingTransfer } from '../books/chain-book.js';
import { isWorthSending } from '../books/chain-facts.js';
import { failedForDeposit, VANISHED, worthOf, type DepositFate } from './deposit-fate.js';
import type { OutsideRules, Told, WalletChange } from './outside-view.js';
import { amountOf, payoutOf, serviceFeeOf, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

export function walletFaults(
  told: readonly Told[],
  wallets: readonly WalletChange[],
  rules: OutsideRules = {},
  credits: ReadonlyMap<string, bigint> = new Map(),
): string[] {
  const spent = new Map<string, bigint>();
  const given = new Map<string, bigint>();
  for (const one of told) {
    const name = `${one.sent.partner} ${one.sent.currency}`;
    const cost = one.fate === null ? costOf(one) : debtOf(one) - broughtBy(one, rules);
    spent.set(name, (spent.get(name) ?? 0n) + cost);
    given.set(name, (given.get(name) ?? 0n) + givenAgain(one));
  }
  const owing = owingPartners(told);
  return wallets.flatMap(({ partner, currency, before, after }) => {
    const name = `${partner} ${currency}`;
    const least = before - (spent.get(name) ?? 0n) + (credits.get(name) ?? 0n);
    const isEmptied = owing.has(partner) && least < 0n && after === 0n;
    const isRight = isEmptied || (after >= least && after <= least + (given.get(name) ?? 0n));
    return isRight ? [] : [`wallet ${currency} of partner ${partner} is ${after}, and should be ${least}`];
  });
}

/** Partners that owe or owed: a payment stands though its money was returned, or a credited deposit vanished. */
export function owingPartners(told: readonly Told[]): ReadonlySet<number> {
  return new Set(
    told.filter((one) => debtOf(one) > 0n || one.vanished !== null).map(({ sent: { partner } }) => partner),
  );
}

/**
 * If a payout is paid before its refund is signed, the refund ends and the deposit pays for it, with our tolerance
 * top-up.
 * If the refund had already ended, nothing is given again. The two look alike from outside.
 */
function givenAgain(one: Told): bigint {
  const { sent, row, fate } = one;
  const isPaidAfterAll =
    debtOf(one) > 0n && fate?.kind === 'funds' && row['refund'] === 'FAILED' && goesBack(sent, pricedOf(fate));
  return isPaidAfterAll ? fate.shortfall : 0n;
}

/** COMPLETE: payout and our fee; the markup comes back. FAILED and REVERSED: only a debt. Open: all of it is held. */
function costOf(one: Told): bigint {
  const { sent, row } = one;
  if (row.status === 'COMPLETE') return payoutOf(sent) + serviceFeeOf(sent);
  if (row.status === 'FAILED' || row.status === 'REVERSED') return debtOf(one);
  return amountOf(sent) + serviceFeeOf(sent);
}

const debtOf = ({ row, expected }: Told): bigint => (row.status === expected.end ? expected.debt : 0n);

/**
 * COMPLETE: markup and surplus. FAILED payout: the full worth, unless it goes back on the chain.
 * REVERSED: the full worth without our top-up. Open or unusable: nothing, unless the policy credits leftovers.
 */
function broughtBy(one: Told, rules: OutsideRules): bigint {
  // Vanished deposits that were credited are owed, and taken from the wallet.
  const { vanished, fate, row } = one;
  if (vanished === null || fate?.kind !== 'funds') return leftBy(one, rules);
  const owed = row.failure_code === VANISHED ? 0n : fate.worth;
  const back = worthOf(fate.incomingTransfer, fate.dayRate, one.sent.currency);
  return leftBy(one, {}) - owed + (vanished.isBack && rules.unapplied === 'wallet' ? back : 0n);
}

function leftBy({ sent, row, fate }: Told, { unapplied = 'keep' }: OutsideRules): bigint {
  if (fate === null || fate.kind === 'nothing') return 0n;
  const { dayRate, beyond } = fate.kind === 'funds' ? fate : { dayRate: fate.rate, beyond: 0n };
  const waiting = [...fate.beside, ...(beyond > 0n ? [{ ...fate.incomingTransfer, received: beyond }] : [])];
  const beside =
    unapplied === 'keep'
      ? 0n
      : waiting.reduce((sum, incomingTransfer) => sum + worthOf(incomingTransfer, dayRate, sent.currency), 0n);
  if (fate.kind === 'unapplied')
    return unapplied === 'keep' || isUnderWayBack(row)
      ? 0n
      : beside + worthOf(fate.incomingTransfer, fate.rate, sent.currency);
  switch (row.status) {
    case 'COMPLETE':
      return beside + fate.worth + fate.shortfall - payoutOf(sent);
    case 'REVERSED':
      return beside + fate.worth;
    case 'FAILED':
      return failedForDeposit(row) ? 0n : beside + (wentBack(sent, row, pricedOf(fate)) ? 0n : fate.worth);
    default:
      return fate.incomingTransfer.finalAt === null ? 0n : beside;
  }
}

export function pricedOf({ incomingTransfer, beyond }: Extract<DepositFate, { kind: 'funds' }>): IncomingTransfer {
  return beyond > 0n ? { ...incomingTransfer, received: incomingTransfer.received - beyond } : incomingTransfer;
}

/**
 * After a failed payout: its deposit is on its way back, or arrived. Otherwise it was credited to the wallet (no
 * address, partner owed, or refund failed).
 */
export function wentBack(sent: SentPayout, row: StatusRow, incomingTransfer: IncomingTransfer): boolean {
  return goesBack(sent, incomingTransfer) && isUnderWayBack(row);
}

const isUnderWayBack = (row: StatusRow): boolean => Boolean(row['refund']) && row['refund'] !== 'FAILED';

/** It named an address and is worth a transfer; the caller checks whether the partner owes. */
export function goesBack({ deposit }: SentPayout, { chain, received, token }: IncomingTransfer): boolean {
  return Boolean(deposit?.refundTo) && isWorthSending(chain, received, token.decimals);
}
