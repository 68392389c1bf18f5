import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Places in the file of Solana's addresses, and numbers of muxed addresses on Stellar: each given once, as the indexes of EVM addresses are. */
export class DepositAddressSequences1765000000000 implements MigrationInterface {
  public readonly name = 'DepositAddressSequences1765000000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query('create sequence solana_address_indexes as integer minvalue 0 start with 0 no cycle');
    await runner.query('create sequence stellar_address_indexes as integer minvalue 0 start with 0 no cycle');
  }

  public async down(): Promise<void> {
    throw new Error('Addresses are never given twice: there is no way down from what says which come next');
  }
}
