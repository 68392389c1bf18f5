import { Inject, Injectable } from '@nestjs/common';
import type { BankRecord } from '@vuka/contracts';
import { banksOf, CORRIDORS, type Coverage } from '@vuka/domain';
import { COVERAGE } from '@vuka/service-host';

/**
 * Banks to which a configured route pays. In a currency whose banks nobody can pay, all of its directory: a list for
 * reference. Empty if the currency has no directory, or no such route.
 */
@Injectable()
export class ListBanks {
  constructor(@Inject(COVERAGE) private readonly coverage: Coverage) {}

  of(currency: string): readonly BankRecord[] {
    const banks = CORRIDORS.some((corridor) => corridor.currency === currency && corridor.kind === 'bank')
      ? this.paidIn(currency)
      : banksOf(currency);
    return banks.map(({ name, code }) => ({ Name: name, Code: code, name, code, currency }));
  }

  private paidIn(currency: string): ReturnType<typeof banksOf> {
    const carriers = this.coverage
      .filter((route) => route.currency === currency && route.kind === 'bank')
      .flatMap((route) => route.carriers);
    return banksOf(currency).filter(({ code }) => carriers.some(({ banks }) => banks?.has(code) ?? true));
  }
}
