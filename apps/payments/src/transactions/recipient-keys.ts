import { randomBytes } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';
import { Cipher, type Clock, isWithin, type Moment, momentOf, type MonotonicClock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

/** The data key of a partner's recipients of one month, opened. */
export interface RecipientKey {
  readonly id: number;
  readonly cipher: Cipher;
}

/** As stored: sealed by payments' cipher. */
export interface StoredRecipientKey {
  readonly partnerId: number;
  readonly sealed: string;
}

interface Row {
  readonly id: string;
  readonly sealed_key: string;
}

const KEY_BYTES = 32;
const MOST_OPENED = 20_000;
const MAX_TRIES = 3;

/** Asked for again: a failover may have lost it, and the database takes no row under a lost key. */
const TRUSTED_MS = 60_000;

/** One key for each cipher key in force, so that a new cipher key is not held by what an older one has sealed. */
const FIND = 'select id, sealed_key from recipient_keys where partner_id = $1 and month = $2 and made_under = $3';
const MAKE = `
insert into recipient_keys (partner_id, month, made_under, sealed_key, made_at) values ($1, $2, $3, $4, $5)
on conflict (partner_id, month, made_under) do nothing`;

interface InUse {
  readonly month: string;
  readonly since: Moment;
  readonly key: Promise<RecipientKey>;
}

/**
 * Recipients are sealed by a key of their own partner and month, and that one by the cipher. Deleting its row erases
 * them (docs/operators/personal-data.md), and a new cipher key seals few rows anew.
 */
@Injectable()
export class RecipientKeys {
  private readonly inUse = new Map<number, InUse>();
  private readonly opened = new Map<string, Cipher>();

  constructor(
    private readonly db: Database,
    private readonly cipher: Cipher,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
  ) {}

  /** Of this month (UTC). The first one of a month is made here. */
  async current(partnerId: number): Promise<RecipientKey> {
    const month = monthOf(this.clock.now());
    const now = momentOf(this.clock);
    const known = this.inUse.get(partnerId);
    if (known?.month === month && isWithin(TRUSTED_MS, known.since, now)) return known.key;
    const key = this.findOrMake(partnerId, month);
    this.inUse.set(partnerId, { month, since: now, key });
    key.catch(() => this.inUse.delete(partnerId));
    return key;
  }

  /** Throws if it was sealed for another partner, or by a cipher key that is gone. */
  open({ partnerId, sealed }: StoredRecipientKey): Cipher {
    const known = this.opened.get(sealed);
    if (known !== undefined) return known;
    const key = Buffer.from(this.cipher.open(sealed, recipientKeyOf(partnerId)), 'base64url');
    const cipher = new Cipher([{ id: 'd', key }]);
    if (this.opened.size >= MOST_OPENED) this.opened.clear();
    this.opened.set(sealed, cipher);
    return cipher;
  }

  private async findOrMake(partnerId: number, month: string): Promise<RecipientKey> {
    const named = [partnerId, month, this.cipher.sealingKeyId];
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [row] = await this.db.query<Row>(FIND, named, { name: 'recipient_key_find' });
      if (row !== undefined) return { id: Number(row.id), cipher: this.open({ partnerId, sealed: row.sealed_key }) };
      const made = this.cipher.seal(randomBytes(KEY_BYTES).toString('base64url'), recipientKeyOf(partnerId));
      await this.db.query(MAKE, [...named, made, this.clock.now()]);
    }
    throw new Error(`the key of the recipients of partner ${String(partnerId)} could not be read`);
  }
}

/** `2026-11-01` of that month in UTC. */
export function monthOf(at: Date): string {
  return `${at.toISOString().slice(0, 7)}-01`;
}

export function recipientKeyOf(partnerId: number): string {
  return `recipient_keys:${String(partnerId)}`;
}
