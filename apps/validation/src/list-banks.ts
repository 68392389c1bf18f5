import { Inject, Injectable } from '@nestjs/common';
import type { BankRecord } from '@vuka/contracts';
import { banksOf, type Coverage } from '@vuka/domain';
import { COVERAGE } from '@vuka/service-host';

/** Banks to which a configured route pays. Empty if the currency has no bank directory, or no such route. */
@Injectable()
export class ListBanks {
  constructor(@Inject(COVERAGE) private readonly coverage: Coverage) {}

  of(currency: string): readonly BankRecord[] {
    const carriers = this.coverage
      .filter((route) => route.currency === currency && route.kind === 'bank')
      .flatMap((route) => route.carriers);
    const paid = banksOf(currency).filter(({ code }) => carriers.some(({ banks }) => banks?.has(code) ?? true));
    return paid.map(({ name, code }) => ({ Name: name, Code: code, name, code, currency }));
  }
}
