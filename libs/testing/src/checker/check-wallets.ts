import type { IncomingTransfer } from '../books/chain-book.js';
import { isWorthSending } from '../books/chain-facts.js';
import { failedForDeposit, VANISHED, worthOf, type DepositFate } from './deposit-fate.js';
import type { OutsideRules, Told, WalletChange } from './outside-view.js';
import { amountOf, payoutOf, serviceFeeOf, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

/** Each wallet is down by what its transactions cost, and up by what deposits and orders (by `partner currency`) brought it, to the cent. */
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
    // What a wallet cannot give stays owed: it is empty then, and never below.
    const isEmptied = owing.has(partner) && least < 0n && after === 0n;
    const isRight = isEmptied || (after >= least && after <= least + (given.get(name) ?? 0n));
    return isRight ? [] : [`wallet ${currency} of partner ${partner} is ${after}, and should be ${least}`];
  });
}

/** Partners that owe, or have owed: for a payment that stands though its money was given back, or for a deposit that vanished. */
export function owingPartners(told: readonly Told[]): ReadonlySet<number> {
  return new Set(
    told.filter((one) => debtOf(one) > 0n || one.vanished !== null).map(({ sent: { partner } }) => partner),
  );
}

/**
 * A refund that was not signed yet ends where its payment turns out to be paid: the deposit pays for it as if nothing had failed, with what we had added within tolerance. Where the refund had
 * ended before, that is not given again. From outside the two look alike.
 */
function givenAgain(one: Told): bigint {
  const { sent, row, fate } = one;
  const isPaidAfterAll =
    debtOf(one) > 0n && fate?.kind === 'funds' && row['refund'] === 'FAILED' && goesBack(sent, pricedOf(fate));
  return isPaidAfterAll ? fate.shortfall : 0n;
}

/**
 * COMPLETE: what was paid and our fee, for the markup has come back. FAILED and REVERSED: nothing but the debt for a payment
 * that stands all the same. Not ended: all of it is held.
 */
function costOf(one: Told): bigint {
  const { sent, row } = one;
  if (row.status === 'COMPLETE') return payoutOf(sent) + serviceFeeOf(sent);
  if (row.status === 'FAILED' || row.status === 'REVERSED') return debtOf(one);
  return amountOf(sent) + serviceFeeOf(sent);
}

const debtOf = ({ row, expected }: Told): bigint => (row.status === expected.end ? expected.debt : 0n);

/**
 * What a pay's deposit leaves in the wallet. COMPLETE: markup and surplus. FAILED for its payout: all of its worth, unless it goes back on
 * the chain. REVERSED: all of it, less what we added. Not ended, or not usable: nothing, unless the policy is to credit what is left over.
 */
function broughtBy(one: Told, rules: OutsideRules): bigint {
  // What vanished after it had brought that is owed, and taken back from the wallet.
  const { vanished, fate, row } = one;
  if (vanished === null || fate?.kind !== 'funds') return leftBy(one, rules);
  const owed = row.failure_code === VANISHED ? 0n : fate.worth;
  // What comes back waits whole, whatever of it a quote had priced.
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

/** What paid: the incoming transfer, but for what came beyond its quote. */
export function pricedOf({ incomingTransfer, beyond }: Extract<DepositFate, { kind: 'funds' }>): IncomingTransfer {
  return beyond > 0n ? { ...incomingTransfer, received: incomingTransfer.received - beyond } : incomingTransfer;
}

/** A pay that failed for its payout: what paid for it is on its way back, or there. Else it is in the wallet: nothing named an address, its partner owed, or the refund failed. */
export function wentBack(sent: SentPayout, row: StatusRow, incomingTransfer: IncomingTransfer): boolean {
  return goesBack(sent, incomingTransfer) && isUnderWayBack(row);
}

const isUnderWayBack = (row: StatusRow): boolean => Boolean(row['refund']) && row['refund'] !== 'FAILED';

/** It named an address, and what came is worth a transfer: it goes back, unless its partner owes. */
export function goesBack({ deposit }: SentPayout, { chain, received, token }: IncomingTransfer): boolean {
  return Boolean(deposit?.refundTo) && isWorthSending(chain, received, token.decimals);
}
