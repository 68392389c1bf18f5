import type { HoldingsView, HoldingView } from '@vuka/offramp';
import type { ChainAccountsView } from '@vuka/payments';

/** One token of one chain. Minor units. */
export interface JudgedHolding extends Pick<
  HoldingView,
  'chain' | 'asset' | 'decimals' | 'height' | 'held_minor' | 'unrecorded_minor'
> {
  readonly ledger_minor: bigint;
  /** Received but not in the ledger yet. Negative: sent, or missing. */
  readonly under_way_minor: bigint;
  /** Outside funding of wallets: as recorded by people, or the unexplained surplus. */
  readonly given_minor: bigint;
  /** Unexplained rest on the chain. Negative: missing. */
  readonly difference_minor: bigint;
}

type Movement = HoldingsView['deposits'][number];

/**
 * Our addresses = ledger + received but not recorded − sent but not final. A sandbox funds each refund wallet once
 * with one sum per token: whole multiples are no difference. Recorded funding must match exactly. Otherwise a surplus
 * counts as funding, a shortfall as missing.
 */
export function judgeChains(
  { holdings, deposits, refunds }: Omit<HoldingsView, 'not_read'>,
  ledger: ChainAccountsView,
): JudgedHolding[] {
  const [posted, paid] = [new Set(ledger.deposits), new Set(ledger.refunds)];
  const came = sumBy(deposits, ({ id }) => posted.has(id));
  const went = sumBy(refunds, ({ id }) => paid.has(id));
  return holdings.map(
    ({ chain, asset, decimals, height, held_minor, unrecorded_minor, endowment_minor, funded_minor }) => {
      const ledger_minor =
        ledger.accounts.find((account) => account.chain === chain && account.asset === asset)?.held_minor ?? 0n;
      const under_way_minor = (came.get(asset) ?? 0n) - (went.get(asset) ?? 0n);
      const beyond = held_minor - ledger_minor - unrecorded_minor - under_way_minor;
      const given_minor = givenOf(beyond, { endowment_minor, funded_minor });
      return {
        chain,
        asset,
        decimals,
        height,
        held_minor,
        unrecorded_minor,
        ledger_minor,
        under_way_minor,
        given_minor,
        difference_minor: beyond - given_minor,
      };
    },
  );
}

function givenOf(
  beyond: bigint,
  { endowment_minor, funded_minor }: Pick<HoldingView, 'endowment_minor' | 'funded_minor'>,
): bigint {
  if (endowment_minor === null && funded_minor !== null) return funded_minor;
  if (beyond <= 0n) return 0n;
  return endowment_minor === null ? beyond : nearestMultiple(beyond, endowment_minor);
}

const nearestMultiple = (value: bigint, of: bigint): bigint => ((value + of / 2n) / of) * of;

/** By asset: on the chain only, less in the ledger only. */
function sumBy(
  movements: readonly Movement[],
  isInLedger: (movement: Movement) => boolean,
): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const movement of movements) {
    const { asset, amount_minor, on_chain } = movement;
    const sign = BigInt(Number(on_chain) - Number(isInLedger(movement)));
    sums.set(asset, (sums.get(asset) ?? 0n) + sign * amount_minor);
  }
  return sums;
}

/** Ledger accounts with a balance whose chain was not read for them. */
export function unreadAccounts(
  { holdings, not_read }: HoldingsView,
  { accounts }: ChainAccountsView,
): HoldingsView['not_read'][number][] {
  const known = new Set(not_read.map(({ chain }) => chain));
  return accounts
    .filter(
      ({ chain, asset, held_minor }) =>
        held_minor !== 0n && !known.has(chain) && !holdings.some((one) => one.chain === chain && one.asset === asset),
    )
    .map(({ chain, asset }) => ({
      chain,
      why: `the balance of ${asset} was not read`,
      is_away: holdings.some((one) => one.chain === chain),
    }));
}
