/** What payments hears of a refund, of its deposit, and of the payout that it goes back for. */
export type AuditEntry =
  'grant' | 'signed' | 'broadcast' | 'confirmed' | 'failed' | 'reverted' | 'credited' | 'paid' | 'cameBack' | 'request';
/** `deposits.state`. */
export type Place = 'funding' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted';
type State = 'HELD' | 'GRANTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';

export interface ModelWorld {
  /** Of value that was unapplied, or of a pay that failed. */
  readonly asked: boolean;
  readonly vanishes: boolean;
  /** Where it was not sent for that: the reason says so. */
  readonly saysWhy: boolean;
  /** offramp's policy would have it in the wallet. */
  readonly credits: boolean;
}

type Tell = () => Promise<unknown>;

/**
 * Value leaves once: it is paid out, sent back or in a wallet. Written from docs/engineers/money-refunds.md and money-deposits.md, by hand and
 * without the tables; it says where one deposit and its refund stand when they have heard one thing after the other.
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
  /** Its payout stands: by the deposit, or owed. */
  private payment: 'none' | 'by deposit' | 'owed' = 'none';
  private hasReturned = false;
  private owesDeposit = false;
  /** Credit was told before it could be. */
  private toldEarly = false;
  /** The refund ended by the reversal, and may have been sent all the same. */
  private endedByReversal = false;
  private heard = new Set<AuditEntry>();
  /** What offramp will say once it may begin. */
  private readonly waiting: (readonly [AuditEntry, Tell])[] = [];

  constructor(private readonly world: ModelWorld) {}

  /** What payments is told by that: nothing where it cannot happen, and what has waited for it. */
  happens(act: AuditEntry, tell: Tell): Tell[] {
    const needsGrant = RefundModel.OFFRAMPS.has(act) && !this.wasGranted;
    // People give up what is held; else offramp begins with the grant, and without it never.
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
    // Told twice it is what it was. A request and a look may find something else.
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

  /** Known before the grant it is the deposit's, else it is owed. What has come back already is no payment. */
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

  /** Only what waits; what goes back already is answered as it stands. */
  private request(): void {
    if (this.place === 'unapplied') this.place = 'refunding';
  }

  private offramp(act: 'signed' | 'broadcast' | 'confirmed' | 'failed'): void {
    if (this.refund === 'CONFIRMED') return;
    if (act === 'failed') return this.fail();
    if (this.refund === 'FAILED') {
      if (!this.endedByReversal) return;
      // It had been sent: it is owed as if the reversal had come later.
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
