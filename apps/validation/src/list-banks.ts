import { Injectable } from '@nestjs/common';
import type { BankRecord } from '@vuka/contracts';
import { banksOf } from '@vuka/domain';

/** Empty if the currency has no bank directory. */
@Injectable()
export class ListBanks {
  of(currency: string): readonly BankRecord[] {
    return banksOf(currency).map(({ name, code }) => ({ Name: name, Code: code, name, code, currency }));
  }
}
