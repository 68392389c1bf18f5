import { Inject, Injectable } from '@nestjs/common';
import { accountName, parseAccountName } from '@vuka/domain';
import {
  tellsBalances,
  type BalanceProvider,
  type FloatBalance,
  type PayoutProvider,
  type ProviderCapabilities,
} from '@vuka/payouts';
import { Database } from '@vuka/persistence';
import { PAYOUT_PROVIDERS } from '@vuka/service-host';

/** The balance of a provider's wallet, and the bounds that the ledger gives it. Minor units. */
export interface ProviderBalanceView {
  readonly provider: string;
  readonly wallet: string;
  readonly currency: string;
  /** 0 for a wallet that the provider does not name. */
  readonly told_minor: bigint;
  /** RFC 3339: the time that `told_minor` is of; null where the provider does not name the wallet. */
  readonly told_at: string | null;
  /** Below this, the provider paid or debited more than the ledger knows. */
  readonly least_minor: bigint;
  readonly most_minor: bigint;
  /** Sent, outcome unknown. */
  readonly under_way_minor: bigint;
  /** Payments in REVIEW: the provider may have paid any amount. */
  readonly in_review: number;
}

export interface ProviderBalancesView {
  readonly balances: readonly ProviderBalanceView[];
  /** `is_away`: it reports balances but could not be reached. */
  readonly not_read: readonly { readonly provider: string; readonly why: string; readonly is_away: boolean }[];
}

interface Standing {
  /** The negative of the float's ledger account. */
  readonly heldMinor: bigint;
  readonly openingMinor: bigint;
  readonly underWayMinor: bigint;
  /** Surely debited, if the provider debits on acceptance. */
  readonly acknowledgedMinor: bigint;
  readonly inReview: number;
}

interface Row {
  readonly name: string;
  readonly held: string;
  readonly opening: string;
  readonly under_way: string;
  readonly acknowledged: string;
  readonly in_review: number;
}

const NONE: Standing = { heldMinor: 0n, openingMinor: 0n, underWayMinor: 0n, acknowledgedMinor: 0n, inReview: 0 };

/**
 * The ledger is read before and after the call, so that payments which end meanwhile are within the bounds. Debit
 * on payment: what is under way may be paid or not. Debit on acceptance: all acknowledged is debited, and only the
 * rest is open.
 */
@Injectable()
export class ProviderBalances {
  constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query'>,
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[],
  ) {}

  async read(): Promise<ProviderBalancesView> {
    const telling = this.providers.filter(tellsBalances);
    const silent = this.providers
      .filter((provider) => !tellsBalances(provider))
      .map(({ id }) => ({ provider: id, why: 'the provider does not report a balance', is_away: false }));
    const before = await this.standings();
    const told = await Promise.all(telling.map(async (provider) => ({ provider, answer: await provider.balances() })));
    const after = await this.standings();
    const not_read = told.flatMap(({ provider, answer }) =>
      answer.outcome === 'failed' ? [{ provider: provider.id, why: answer.detail, is_away: true }] : [],
    );
    const balances = told.flatMap(({ provider, answer }) =>
      answer.outcome === 'failed'
        ? []
        : viewsOf(
            provider,
            new Map(
              answer.balances.map((one) => [accountName.rail(provider.id, one.wallet, one.amount.currency), one]),
            ),
            before,
            after,
          ),
    );
    return { balances, not_read: [...silent, ...not_read, ...this.unknownAmong(after)] };
  }

  private unknownAmong(standings: ReadonlyMap<string, Standing>): ProviderBalancesView['not_read'] {
    const providers = new Set([...standings.keys()].map((name) => parseAccountName(name).provider ?? ''));
    return [...providers]
      .filter((provider) => !this.providers.some(({ id }) => id === provider))
      .sort()
      .map((provider) => ({ provider, why: 'the provider is not configured here', is_away: false }));
  }

  private async standings(): Promise<ReadonlyMap<string, Standing>> {
    const rows = await this.db.query<Row>(STANDINGS_SQL);
    return new Map(
      rows.map((row) => [
        row.name,
        {
          heldMinor: BigInt(row.held),
          openingMinor: BigInt(row.opening),
          underWayMinor: BigInt(row.under_way),
          acknowledgedMinor: BigInt(row.acknowledged),
          inReview: row.in_review,
        },
      ]),
    );
  }
}

function viewsOf(
  { id, balanceRules, capabilities }: BalanceProvider,
  told: ReadonlyMap<string, FloatBalance>,
  before: ReadonlyMap<string, Standing>,
  after: ReadonlyMap<string, Standing>,
): ProviderBalanceView[] {
  const known = [...before.keys(), ...after.keys()].filter((name) => parseAccountName(name).provider === id);
  return [...new Set([...told.keys(), ...known])].sort().map((name) => {
    const both = [before, after].map((standings) => standings.get(name) ?? NONE);
    const { wallet = '', asset: currency } = parseAccountName(name);
    const bounds = both.map((standing) => boundsOf(standing, { ...balanceRules, ...capabilities }));
    return {
      provider: id,
      wallet,
      currency,
      told_minor: told.get(name)?.amount.minor ?? 0n,
      told_at: told.get(name)?.at.toISOString() ?? null,
      least_minor: -largest(bounds.map(({ least }) => -least)),
      most_minor: largest(bounds.map(({ most }) => most)),
      under_way_minor: largest(both.map(({ underWayMinor }) => underWayMinor)),
      in_review: Math.max(...both.map(({ inReview }) => inReview)),
    };
  });
}

function boundsOf(
  { heldMinor, openingMinor, underWayMinor, acknowledgedMinor }: Standing,
  { holdsOpening, debitsAt }: BalanceProvider['balanceRules'] & Pick<ProviderCapabilities, 'debitsAt'>,
): { readonly least: bigint; readonly most: bigint } {
  const shouldHold = heldMinor - (holdsOpening ? 0n : openingMinor);
  return { least: shouldHold - underWayMinor, most: shouldHold - (debitsAt === 'acceptance' ? acknowledgedMinor : 0n) };
}

const largest = (values: readonly bigint[]): bigint => values.reduce((most, value) => (value > most ? value : most));

const STANDINGS_SQL = `
with providers as (select id, name from accounts where kind = 'rail'),
held as (
  select r.name, sum(case when e.from_account = r.id then e.amount_minor else -e.amount_minor end) as held,
         sum(e.amount_minor) filter (where e.from_account = r.id and q.kind in ('sandbox_opened', 'sandbox_float_opened')) as opening
    from providers r join entries e on r.id in (e.from_account, e.to_account) join postings q on q.id = e.posting_id group by r.name),
open as (
  select 'rail:' || a.provider || ':' || a.wallet || ':' || t.currency as name, sum(a.amount_minor) as under_way,
         sum(a.amount_minor) filter (where a.state = 'PENDING' or a.acknowledged_at is not null) as acknowledged, count(*) filter (where t.state = 'REVIEW')::integer as in_review
    from attempts a join transactions t on t.id = a.transaction_id where a.state in ('SENDING', 'PENDING', 'UNKNOWN') group by 1)
select coalesce(h.name, o.name) as name, coalesce(h.held, 0)::text as held, coalesce(h.opening, 0)::text as opening, coalesce(o.under_way, 0)::text as under_way,
       coalesce(o.acknowledged, 0)::text as acknowledged, coalesce(o.in_review, 0) as in_review
  from held h full join open o on o.name = h.name`;
