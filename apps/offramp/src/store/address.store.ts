import type { Queryable } from '@vuka/persistence';

export interface StoredAddress {
  readonly address: string;
  readonly index: number;
  readonly xpubId: string;
  readonly createdAt: Date;
}

/** Deposit addresses that were given. */
export class AddressStore {
  public constructor(private readonly db: Queryable) {}

  public async ofPartner(partnerId: number, family: string): Promise<StoredAddress | undefined> {
    const rows = await this.db.query<StoredAddress>(
      `select address, derivation_index as "index", xpub_id as "xpubId", created_at as "createdAt"
       from deposit_addresses where partner_id = $1 and family = $2 and purpose = 'partner'`,
      [partnerId, family],
      { name: 'offramp_address_of_partner' },
    );
    return rows[0];
  }

  /** One that nobody else ever gets, whatever becomes of it. */
  public async nextIndex(): Promise<number> {
    const [row] = await this.db.query<{ index: number }>(`select nextval('deposit_address_indexes')::integer as "index"`);
    if (row === undefined) throw new Error('a sequence gave nothing');
    return row.index;
  }

  /** Keeps what is there: of several at once one is stored. */
  public async insertUnlessPresent(partnerId: number, family: string, { address, index, xpubId, createdAt }: StoredAddress): Promise<void> {
    await this.db.query(
      `insert into deposit_addresses (partner_id, family, purpose, derivation_index, xpub_id, address, created_at)
       values ($1, $2, 'partner', $3, $4, $5, $6)
       on conflict (partner_id, family) where purpose = 'partner' do nothing`,
      [partnerId, family, index, xpubId, address, createdAt],
    );
  }

  /** Those of the given addresses that are ours, to whomever they were given. */
  public async oursAmong(addresses: readonly string[]): Promise<string[]> {
    if (addresses.length === 0) return [];
    const rows = await this.db.query<{ address: string }>('select address from deposit_addresses where address = any ($1::text[])', [addresses], {
      name: 'offramp_addresses_ours',
    });
    return rows.map(({ address }) => address);
  }

  /** Whether addresses were given from another account key than this one. */
  public async hasOtherKeys(xpubId: string): Promise<boolean> {
    const [row] = await this.db.query<{ found: boolean }>('select exists (select 1 from deposit_addresses where xpub_id <> $1) as found', [xpubId]);
    return row?.found ?? false;
  }
}
