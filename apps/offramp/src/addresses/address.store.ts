import { Inject, Injectable } from '@nestjs/common';
import type { ChainFamily } from '@vuka/domain';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

export interface StoredAddress {
  readonly address: string;
  readonly index: number;
  /** Identifies the key, file or account. */
  readonly keyId: string;
  readonly createdAt: Date;
}

const SEQUENCES: Readonly<Record<ChainFamily, string>> = {
  evm: 'deposit_address_indexes',
  solana: 'solana_address_indexes',
  stellar: 'stellar_address_indexes',
};

@Injectable()
export class AddressStore {
  public constructor(@Inject(Database) private readonly db: Queryable) {}

  public async ofPartner(partnerId: number, family: ChainFamily): Promise<StoredAddress | undefined> {
    const rows = await this.db.query<StoredAddress>(
      `select address, derivation_index as "index", xpub_id as "keyId", created_at as "createdAt"
       from deposit_addresses where partner_id = $1 and family = $2 and purpose = 'partner'`,
      [partnerId, family],
      { name: 'offramp_address_of_partner' },
    );
    return rows[0];
  }

  public async ofOrder(orderNumber: number): Promise<StoredAddress | undefined> {
    const rows = await this.db.query<StoredAddress>(
      `select a.address, a.derivation_index as "index", a.xpub_id as "keyId", a.created_at as "createdAt"
       from order_watches w join deposit_addresses a on a.address = w.address and a.family = w.family and a.partner_id = w.partner_id and a.purpose = 'order'
       where w.order_number = $1`,
      [orderNumber],
      { name: 'offramp_address_of_order' },
    );
    return rows[0];
  }

  public async insertForOrder(
    partnerId: number,
    family: ChainFamily,
    { address, index, keyId, createdAt }: StoredAddress,
  ): Promise<void> {
    await this.db.query(
      `insert into deposit_addresses (partner_id, family, purpose, derivation_index, xpub_id, address, created_at) values ($1, $2, 'order', $3, $4, $5, $6)`,
      [partnerId, family, index, keyId, address, createdAt],
      { name: 'offramp_address_for_order' },
    );
  }

  public static async lockToGive(tx: Transaction, partnerId: number, family: ChainFamily): Promise<void> {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`deposit_address ${family} ${partnerId}`]);
  }

  /** Never reused, even if the transaction fails. */
  public async nextIndex(family: ChainFamily): Promise<number> {
    const [row] = await this.db.query<{ index: number }>(`select nextval('${SEQUENCES[family]}')::integer as "index"`);
    if (row === undefined) throw new Error('a sequence gave nothing');
    return row.index;
  }

  public async indexToCome(family: ChainFamily): Promise<number> {
    const [row] = await this.db.query<{ index: number }>(
      `select (last_value + is_called::integer)::integer as "index" from ${SEQUENCES[family]}`,
    );
    if (row === undefined) throw new Error('a sequence has no value');
    return row.index;
  }

  public static async lockToDraw(tx: Transaction, family: ChainFamily): Promise<void> {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`deposit_address_list ${family}`]);
  }

  public async insertUnlessPresent(
    partnerId: number,
    family: ChainFamily,
    { address, index, keyId, createdAt }: StoredAddress,
  ): Promise<void> {
    await this.db.query(
      `insert into deposit_addresses (partner_id, family, purpose, derivation_index, xpub_id, address, created_at)
       values ($1, $2, 'partner', $3, $4, $5, $6)
       on conflict (partner_id, family) where purpose = 'partner' do nothing`,
      [partnerId, family, index, keyId, address, createdAt],
    );
  }

  public async oursAmong(addresses: readonly string[]): Promise<string[]> {
    if (addresses.length === 0) return [];
    const rows = await this.db.query<{ address: string }>(
      'select address from deposit_addresses where address = any ($1::text[])',
      [addresses],
      {
        name: 'offramp_addresses_ours',
      },
    );
    return rows.map(({ address }) => address);
  }

  public async hasOtherKeys(family: ChainFamily, keyId: string): Promise<boolean> {
    const [row] = await this.db.query<{ found: boolean }>(
      'select exists (select 1 from deposit_addresses where family = $1 and xpub_id <> $2) as found',
      [family, keyId],
    );
    return row?.found ?? false;
  }

  public async given(
    family: ChainFamily,
    afterIndex: number,
    limit: number,
  ): Promise<{ readonly index: number; readonly address: string }[]> {
    return this.db.query(
      'select derivation_index as "index", address from deposit_addresses where family = $1 and derivation_index > $2 order by derivation_index limit $3',
      [family, afterIndex, limit],
    );
  }
}
