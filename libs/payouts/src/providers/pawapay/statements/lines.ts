import { currencyDecimals, type Money, money, parseDecimal } from '@vuka/domain';

import { MAX_TEXT, providerText } from '../../../provider-text.js';
import type { StatementEntry, StatementMovement, StatementPage } from '../../../statement-provider.js';
import { attemptIdsOf } from '../payout-id.js';
import type { StatementLine } from './csv.js';

type Kind = 'payout' | 'return' | StatementMovement['kind'];

/**
 * [U] the words of the column Type. The dashboard's summary has payouts, split payouts, fees, top ups and adjustments [D].
 */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/fee/, 'fee'],
  [/revers|return/, 'return'],
  [/^(split)?payouts?$/, 'payout'],
  [/top ?up/, 'top_up'],
];

/** Fractions of a minor unit come from fees, also in currencies without decimals (`10798.03` shillings of Uganda [D]). */
const DECIMALS = 6;

interface Payout {
  id: string;
  /** Sums by sign, in 10⁻⁶ of the currency. */
  plus: bigint;
  minus: bigint;
  returned: bigint;
  fee: bigint;
  isFeeTold: boolean;
  last: StatementLine;
}

/**
 * Gathers the lines of one wallet's statement. All lines of one payout make one entry, so that a payout that is listed twice has twice
 * its amount, and one whose money came back at once is not paid.
 */
export class StatementLines {
  private readonly payouts = new Map<string, Payout>();
  private readonly movements: StatementMovement[] = [];
  /** A fee stands for itself until its payout is found. */
  private readonly fees = new Map<string, { sum: bigint; line: StatementLine }>();
  private isSigned = false;
  private unreadable = 0;

  constructor(private readonly currency: string) {}

  add(line: StatementLine): void {
    const amount = signedDecimal(line.amount);
    const id = line.id.toLowerCase();
    const told = kindOf(line.type);
    // Adjustments and the like of what may be a payout of ours: its status is asked.
    const kind = told === 'other' && attemptIdsOf(id).length > 0 ? 'return' : told;
    const isOurs = kind === 'payout' || kind === 'return';
    if (amount === null || (line.currency !== '' && line.currency !== this.currency) || (isOurs && id === '')) {
      this.unreadable += 1;
      return;
    }
    if (isOurs) this.addPayout(id, kind, amount, line);
    else if (kind === 'fee' && id !== '')
      this.fees.set(id, { sum: (this.fees.get(id)?.sum ?? 0n) + absolute(amount), line });
    else this.movements.push(this.movementOf(kind, amount, line));
  }

  page(): Required<Pick<StatementPage, 'entries' | 'movements' | 'unreadable'>> {
    const entries = [...this.payouts.values()].flatMap((payout) => this.entryOf(payout) ?? []);
    const alone = [...this.fees].filter(([id]) => !this.payouts.has(id));
    const fees = alone.map(([, { sum, line }]) => this.movementOf('fee', sum, line));
    return { entries, movements: [...this.movements, ...fees], unreadable: this.unreadable };
  }

  private addPayout(id: string, kind: 'payout' | 'return', amount: bigint, line: StatementLine): void {
    const known: Payout = this.payouts.get(id) ?? {
      id,
      plus: 0n,
      minus: 0n,
      returned: 0n,
      fee: 0n,
      isFeeTold: false,
      last: line,
    };
    this.payouts.set(id, known);
    known.last = line;
    if (kind === 'return') known.returned += absolute(amount);
    else if (amount < 0n) known.minus -= amount;
    else known.plus += amount;
    if (kind === 'payout' && amount < 0n) this.isSigned = true;
    const fee = signedDecimal(line.fee);
    if (fee === null) return;
    known.fee += absolute(fee);
    known.isFeeTold = true;
  }

  /** null: its amount has more decimals than its currency, which no payout of ours has. */
  private entryOf({ id, plus, minus, returned, fee, isFeeTold, last }: Payout): StatementEntry | null {
    // Where what leaves is negative, a payout that is positive came back.
    const paid = this.isSigned ? minus : plus;
    const back = returned + (this.isSigned ? plus : 0n);
    const [attemptId = id] = attemptIdsOf(id);
    const event = paid === 0n ? 'reversed' : paid > back ? 'paid' : 'not_paid';
    const amount = toMinor(paid - back, this.currency);
    if (event === 'paid' && amount === null) {
      this.unreadable += 1;
      return null;
    }
    const receipt = providerText(last.receipt, MAX_TEXT.receipt);
    const own = this.fees.get(id);
    const fees = toMinor(fee + (own?.sum ?? 0n), this.currency);
    return {
      attemptId,
      event,
      receipt: receipt === '' ? null : receipt,
      ...(event === 'paid' && amount !== null && { amount }),
      ...((isFeeTold || own !== undefined) && fees !== null && { fee: fees }),
      ...this.detailsOf(last),
    };
  }

  private movementOf(kind: StatementMovement['kind'], amount: bigint, line: StatementLine): StatementMovement {
    return { kind, amount: roundedDown(amount, this.currency), ...this.detailsOf(line) };
  }

  private detailsOf({ at, balance }: StatementLine): Pick<StatementEntry, 'at' | 'balanceAfter'> {
    const time = timeIn(at);
    const left = signedDecimal(balance);
    return {
      ...(time !== null && { at: time }),
      ...(left !== null && { balanceAfter: roundedDown(left, this.currency) }),
    };
  }
}

function kindOf(type: string): Kind {
  const words = type
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .trim();
  return KINDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'other';
}

/** [D] in UTC. [U] how it is written: `2026-08-01T08:17:01Z`, or with a space and without the zone. */
function timeIn(text: string): Date | null {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)Z?$/.exec(text) ?? [];
  const at = new Date(`${day}T${time}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** In 10⁻⁶ of the currency; null where the text is no amount. */
function signedDecimal(text: string): bigint | null {
  const read = parseDecimal(text.replace(/^[+-]/, ''), DECIMALS);
  if (!read.ok) return null;
  return text.startsWith('-') ? -read.value : read.value;
}

/** null: it cannot be said in minor units. */
function toMinor(sum: bigint, currency: string): Money | null {
  const unit = unitOf(currency);
  return sum % unit === 0n ? money(sum / unit, currency) : null;
}

function roundedDown(sum: bigint, currency: string): Money {
  const unit = unitOf(currency);
  const whole = sum / unit;
  return money(sum < 0n && whole * unit !== sum ? whole - 1n : whole, currency);
}

function unitOf(currency: string): bigint {
  return 10n ** BigInt(DECIMALS - currencyDecimals(currency));
}

function absolute(sum: bigint): bigint {
  return sum < 0n ? -sum : sum;
}
