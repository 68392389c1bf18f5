import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { decodeAmount, type paymentsApi } from '@vuka/contracts';
import { fail, money, ok, postingLegs, WALLET_CURRENCIES, type Coverage, type Money, type Result } from '@vuka/domain';
import { Database } from '@vuka/persistence';
import { uuidv7 } from '@vuka/runtime';
import { COVERAGE, PAYOUT_PROVIDERS, SETTINGS } from '@vuka/service-host';
import type { z } from 'zod';

import { type CommitOutcome, CommitWriter, type Posting, referenceOf } from '../commit/index.js';

type Operations = (typeof paymentsApi)['operations'];
type WalletList = z.input<Operations['listWallets']['output']>;
type OpenInput = z.output<Operations['openSandboxWallets']['input']>;

/** sandbox_opened includes its opening (money.md section 4). */
const FIRST_PROVIDER = 'sandbox';

/** Deposits are not paid from wallets: the sandbox funds that many openings of them in advance. */
const DEPOSITS_PER_OPENING = 1_000n;

@Injectable()
export class Wallets {
  constructor(
    private readonly db: Database,
    private readonly writer: CommitWriter,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'env'>,
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly { readonly id: string }[],
    @Inject(COVERAGE) private readonly coverage: Coverage,
  ) {}

  /** Oldest first; a wallet exists from its first posting. */
  async list(partnerId: number): Promise<Result<WalletList>> {
    const rows = await this.db.query<{ id: string; asset: string; balance: string }>(
      `select id, asset, balance_minor::text as balance from accounts where partner_id = $1 and kind = 'wallet' order by id`,
      [partnerId],
      { name: 'wallets_of_partner' },
    );
    return ok({
      wallets: rows.map((row) => ({ id: Number(row.id), currency: row.asset, balance_minor: row.balance })),
    });
  }

  /**
   * sandbox_opened once per partner and currency, sandbox_float_opened for each provider, also for a later one.
   * Errors: forbidden outside the sandbox, unsupported_currency.
   */
  async openInSandbox(input: OpenInput): Promise<Result<{ opened: number }>> {
    if (this.settings.env !== 'sandbox')
      return fail({ code: 'forbidden', message: 'Only the sandbox opens wallets with money' });
    const unknown = input.openings.find(({ currency }) => !(WALLET_CURRENCIES as readonly string[]).includes(currency));
    if (unknown) {
      return fail({ code: 'unsupported_currency', message: `currency must be one of ${WALLET_CURRENCIES.join(', ')}` });
    }
    let opened = 0;
    for (const opening of input.openings) {
      const amount = decodeAmount(opening);
      const legs = postingLegs('sandbox_opened', { partner: input.partner_id, provider: FIRST_PROVIDER, amount });
      const reference = referenceOf('sandbox_opened', `${input.partner_id}-${amount.currency}`);
      const { outcome } = await this.commit({ reference, kind: 'sandbox_opened', legs });
      if (outcome === 'ok') opened += 1;
      await this.fundProviders(input.partner_id, amount);
    }
    return ok({ opened });
  }

  private async fundProviders(partnerId: number, opening: Money): Promise<void> {
    const { currency } = opening;
    const routes = this.coverage.filter((route) => route.currency === currency);
    const paying = new Set(routes.flatMap(({ carriers }) => carriers.map((carrier) => carrier.provider)));
    for (const { id: provider } of this.providers.filter(({ id }) => paying.has(id))) {
      const float = async (name: string, amount: Money): Promise<void> => {
        await this.commit({
          reference: referenceOf('sandbox_float_opened', `${partnerId}-${currency}-${name}`),
          kind: 'sandbox_float_opened',
          legs: postingLegs('sandbox_float_opened', { provider, amount }),
        });
      };
      if (provider !== FIRST_PROVIDER) await float(provider, opening);
      await float(`${provider}-deposits`, money(opening.minor * DEPOSITS_PER_OPENING, currency));
    }
  }

  private commit(posting: Posting): Promise<CommitOutcome> {
    return this.writer.commit(
      {
        commitId: uuidv7(),
        transactionId: null,
        expectedSequence: 0,
        transitions: [],
        postings: [posting],
        outbox: [],
      },
      'background',
    );
  }
}
