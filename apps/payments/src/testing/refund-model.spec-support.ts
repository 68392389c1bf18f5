export type AuditEntry =
  'grant' | 'signed' | 'broadcast' | 'confirmed' | 'failed' | 'reverted' | 'credited' | 'paid' | 'cameBack' | 'request';
export type Place = 'funding' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted';
type State = 'HELD' | 'GRANTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';

export interface ModelWorld {
  /** Unapplied value, or a failed pay's. */
  readonly asked: boolean;
  readonly vanishes: boolean;
  /** The refund failed because of it, and the reason says so. */
  readonly saysWhy: boolean;
  /** By offramp's policy. */
  readonly credits: boolean;
}

type Tell = () => Promise<unknown>;

/**
 * Value leaves once: paid out, sent back or credited. Written by hand from docs/engineers/money-refunds.md and
 * money-deposits.md, without the tables.
 */
export class RefundModel {
  static readonly OFFRAMPS: ReadonlySet<AuditEntry> = new Set<AuditEntry>([
    'signed',
    'broadcast',
    'confirmed',
    'failed',
  ]);

  private place: Place = 'refunding';
  private refund: State = 'HELD';
  private wasGranted = false;
  /** The payout stands, funded by the deposit or owed. */
  private payment: 'none' | 'by deposit' | 'owed' = 'none';
  private hasReturned = false;
  private owesDeposit = false;
  /** Credit came too early. */
  private toldEarly = false;
  /** Ended by the reversal, but maybe sent. */
  private endedByReversal = false;
  private heard = new Set<AuditEntry>();
  /** offramp's events that need the grant. */
  private readonly waiting: (readonly [AuditEntry, Tell])[] = [];

  constructor(private readonly world: ModelWorld) {}

  /** What payments hears then: nothing if impossible, plus what waited for it. */
  happens(act: AuditEntry, tell: Tell): Tell[] {
    const needsGrant = RefundModel.OFFRAMPS.has(act) && !this.wasGranted;
    // People may give up held refunds; offramp begins only with the grant.
    if (needsGrant && !(act === 'failed' && this.refund === 'HELD')) {
      if (this.refund === 'HELD') this.waiting.push([act, tell]);
      return [];
    }
    this.take(act);
    const begun = act === 'grant' && this.wasGranted ? this.waiting.splice(0) : [];
    for (const [later] of begun) this.take(later);
    return [tell, ...begun.map(([, later]) => later)];
  }

  end(): { readonly place: Place; readonly refund: State; readonly owes: boolean } {
    return { place: this.place, refund: this.refund, owes: this.payment === 'owed' || this.owesDeposit };
  }

  private take(act: AuditEntry): void {
    // Repeats change nothing, except requests and polls.
    const isAgain = this.heard.has(act);
    this.heard.add(act);
    if (act === 'request') return this.request();
    if (act === 'credited') return this.credit();
    if (act === 'grant') return this.grant();
    if (isAgain) return;
    if (act === 'paid') return this.pay();
    if (act === 'cameBack') return this.comeBack();
    if (act === 'reverted') return this.vanish();
    this.offramp(act);
  }

  private grant(): void {
    if (this.refund !== 'HELD' || this.place !== 'refunding') return;
    this.refund = 'GRANTED';
    this.wasGranted = true;
  }

  /** Known before the grant: the deposit's; later: owed. A returned payment does not count. */
  private pay(): void {
    if (this.hasReturned) return;
    if (this.refund !== 'HELD') this.payment = 'owed';
    else {
      this.payment = 'by deposit';
      [this.refund, this.place] = ['FAILED', 'funding'];
    }
  }

  private comeBack(): void {
    this.hasReturned = true;
    if (this.payment === 'by deposit' && this.place === 'funding') this.place = 'credited';
    this.payment = 'none';
  }

  private vanish(): void {
    if (this.place === 'refunding' && (this.refund === 'HELD' || this.refund === 'GRANTED')) {
      this.endedByReversal = true;
      this.refund = 'FAILED';
    } else if (this.place === 'refunded' || this.place === 'credited' || this.place === 'funding')
      this.owesDeposit = true;
    this.place = 'reverted';
  }

  private credit(): void {
    if (this.place === 'unapplied') this.place = 'credited';
    else if (this.place === 'refunding' || this.place === 'refunded') this.toldEarly = true;
  }

  /** Only waiting value; a refund under way is unchanged. */
  private request(): void {
    if (this.place === 'unapplied') this.place = 'refunding';
  }

  private offramp(act: 'signed' | 'broadcast' | 'confirmed' | 'failed'): void {
    if (this.refund === 'CONFIRMED') return;
    if (act === 'failed') return this.fail();
    if (this.refund === 'FAILED') {
      if (!this.endedByReversal) return;
      // Already sent: owed as after a later reversal.
      [this.endedByReversal, this.owesDeposit] = [false, true];
    }
    const next = { signed: 'SIGNED', broadcast: 'BROADCAST', confirmed: 'CONFIRMED' } as const;
    const order: readonly State[] = ['SIGNED', 'BROADCAST', 'CONFIRMED'];
    if (order.indexOf(next[act]) > order.indexOf(this.refund)) this.refund = next[act];
    if (this.place === 'refunding') this.place = 'refunded';
  }

  private fail(): void {
    if (this.refund === 'FAILED') return;
    this.refund = 'FAILED';
    if (this.place === 'reverted') return;
    if (this.world.vanishes && this.world.saysWhy) {
      [this.place, this.endedByReversal] = ['reverted', true];
    } else if (!this.world.asked || this.toldEarly) this.place = 'credited';
    else this.place = 'unapplied';
  }
}
