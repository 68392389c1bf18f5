import { randomBytes } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';
import { Cipher, type Clock } from '@vuka/runtime';
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

/** One key for each cipher key in force, so that a new cipher key is not held by what an older one has sealed. */
const FIND_OR_MAKE = `
with made as (
  insert into recipient_keys (partner_id, month, made_under, sealed_key, made_at) values ($1, $2, $3, $4, $5)
  on conflict (partner_id, month, made_under) do nothing returning id, sealed_key)
select id, sealed_key from made
union all select id, sealed_key from recipient_keys where partner_id = $1 and month = $2 and made_under = $3
limit 1`;

/**
 * Recipients are sealed by a key of their own partner and month, and that one by the cipher. Deleting its row erases
 * them (docs/operators/personal-data.md), and a new cipher key seals few rows anew.
 */
@Injectable()
export class RecipientKeys {
  private readonly inUse = new Map<number, { readonly month: string; readonly key: Promise<RecipientKey> }>();
  private readonly opened = new Map<string, Cipher>();

  constructor(
    private readonly db: Database,
    private readonly cipher: Cipher,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Of this month (UTC). The first one of a month is made here. */
  async current(partnerId: number): Promise<RecipientKey> {
    const month = monthOf(this.clock.now());
    const known = this.inUse.get(partnerId);
    if (known?.month === month) return known.key;
    const key = this.findOrMake(partnerId, month);
    this.inUse.set(partnerId, { month, key });
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
    const made = this.cipher.seal(randomBytes(KEY_BYTES).toString('base64url'), recipientKeyOf(partnerId));
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [row] = await this.db.query<Row>(
        FIND_OR_MAKE,
        [partnerId, month, this.cipher.sealingKeyId, made, this.clock.now()],
        { name: 'recipient_key_find_or_make' },
      );
      // None where another process's was committed after this statement began.
      if (row !== undefined) return { id: Number(row.id), cipher: this.open({ partnerId, sealed: row.sealed_key }) };
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
