import { chainNamed, CHAINS, type ChainFamily } from '@vuka/domain';

import type { RateSettings } from './rate-settings.js';
import { refuseSetting } from './refuse-setting.js';

/** Where chains are read, and what is done with what arrives there. Read by offramp alone. */
export interface ChainSettings {
  /** Endpoint URLs by the chain's name. They hold keys: never logged, never told. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  /** So many endpoints of a chain must say the same. */
  readonly agree: number;
  /** Account key that deposit addresses are derived from: public, and confidential all the same. null: the sandbox's own. */
  readonly depositXpub: string | null;
  /** Absolute path of the list of public keys that are deposit addresses on Solana. */
  readonly solanaAddressesFile?: string;
  /** The account (G…) that all deposits on Stellar come to. null: none is served there. */
  readonly stellarAccount: string | null;
  /** Absolute path of the list of addresses whose money nobody pays out without a look. */
  readonly screeningFile?: string;
  /** Absolute path of the list of addresses that are ours beside the deposit addresses: what they send is no deposit. */
  readonly ownAddressesFile?: string;
  readonly unapplied: UnappliedPolicy;
  /** US cents of one partner's deposits that are paid on while their blocks may still vanish. */
  readonly exposureLimitCents: bigint;
  /** Public addresses of the accounts that refunds leave from, by family. */
  readonly refundWallets: Readonly<Partial<Record<ChainFamily, string>>>;
  /** Absolute path of the keys by which a sandbox signs its refunds itself; never in live. */
  readonly sandboxRefundKeysFile?: string;
  /** For tests, never in live: blocks of an epoch of the sandbox's EVM nodes, `finalized` is two of them below the head (`VUKA_TEST_CHAIN_EPOCH`). */
  readonly epochBlocks?: number;
  /** For tests, never in live: no transfer is looked for longer (`VUKA_TEST_SEARCH_MS`). */
  readonly searchMs?: number;
}

/** What becomes of value that arrived and cannot be used for what it was claimed for. */
export type UnappliedPolicy = 'keep' | 'wallet';

/** What of them a file of secrets may hold, in the place of variables. */
export interface ChainSecrets {
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  readonly depositXpub: string | null;
  readonly ratesUrl: string | null;
}

const PREFIX = 'CHAIN_RPC_';
const NOT_CHAINS = new Set([`${PREFIX}AGREE`]);
const MOST_ENDPOINTS = 8;
const READABLE = CHAINS.map(({ name }) => name);
const RULE = `1 to ${MOST_ENDPOINTS} different http or https URLs, parted by commas`;

export const chainVariable = (chain: string): string => PREFIX + chain;

/** Variables CHAIN_RPC_<CHAIN>, by name. */
export const CHAIN_VARIABLES: readonly string[] = READABLE.map(chainVariable);

/** Throws SettingsError, which tells no URL. A variable that names no chain is left to those who warn of typing errors. */
export function endpointsOf(given: Readonly<Record<string, string>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    READABLE.flatMap((chain) => {
      const text = given[chainVariable(chain)];
      return text === undefined
        ? []
        : [
            [
              chain,
              checkedEndpoints(
                chainVariable(chain),
                text.split(',').map((one) => one.trim()),
              ),
            ] as const,
          ];
    }),
  );
}

export function checkedEndpoints(variable: string, urls: readonly string[]): readonly string[] {
  const isGood =
    urls.length >= 1 && urls.length <= MOST_ENDPOINTS && new Set(urls).size === urls.length && urls.every(isEndpoint);
  return isGood ? urls : refuseSetting(variable, RULE);
}

/** `all`, `none`, or names parted by commas. Throws SettingsError. */
export function sandboxChainsOf(text: string): readonly string[] {
  if (text === 'all') return READABLE;
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim().toUpperCase());
  return names.every(isReadableChain) && new Set(names).size === names.length
    ? names
    : refuseSetting('VUKA_SANDBOX_CHAINS', `all, none, or different names parted by commas, of ${READABLE.join(', ')}`);
}

export const isChainVariable = (name: string): boolean => name.startsWith(PREFIX) && !NOT_CHAINS.has(name);
export const isReadableChain = (name: string): boolean => READABLE.includes(name);

function isEndpoint(text: string): boolean {
  return (
    text.length <= 2_000 &&
    URL.canParse(text) &&
    ['http:', 'https:'].includes(new URL(text).protocol) &&
    new URL(text).hash === ''
  );
}

/** With the URL that a file of secrets holds. Throws SettingsError where both name one. */
export function withRateSecrets(settings: RateSettings, { ratesUrl }: ChainSecrets): RateSettings {
  if (ratesUrl !== null && settings.url !== null)
    refuseSetting('RATES_URL', 'absent where VUKA_SECRETS_FILE has a rates_url');
  return { ...settings, url: settings.url ?? ratesUrl };
}

/** With what a file of secrets holds. Throws SettingsError where both name one thing. */
export function withChainSecrets(settings: ChainSettings, secrets: ChainSecrets): ChainSettings {
  const both = Object.keys(secrets.endpoints).find((chain) => settings.endpoints[chain] !== undefined);
  if (both !== undefined)
    refuseSetting(chainVariable(both), 'absent where VUKA_SECRETS_FILE names the endpoints of that chain');
  if (secrets.depositXpub !== null && settings.depositXpub !== null)
    refuseSetting('DEPOSIT_XPUB', 'absent where VUKA_SECRETS_FILE has a deposit_xpub');
  return {
    ...settings,
    endpoints: { ...settings.endpoints, ...secrets.endpoints },
    depositXpub: settings.depositXpub ?? secrets.depositXpub,
  };
}

/** What only all of them together show. Throws SettingsError: one endpoint alone could have us pay for what never arrived. */
export function checkChainSettings({
  env,
  chains,
  rates,
}: {
  readonly env: 'sandbox' | 'live';
  readonly chains: ChainSettings;
  readonly rates: RateSettings;
}): void {
  const { agree, depositXpub } = chains;
  const served = Object.entries(chains.endpoints);
  if (served.length === 0) return;
  if (env === 'live' && agree < 2)
    refuseSetting('CHAIN_RPC_AGREE', 'at least 2 when VUKA_ENV is live: one endpoint alone is not believed');
  for (const [chain, urls] of served) {
    if (urls.length < agree)
      refuseSetting(chainVariable(chain), `at least ${agree} URLs: so many have to agree (CHAIN_RPC_AGREE)`);
  }
  if (env === 'live' && rates.url === null)
    refuseSetting('RATES_URL', 'set where chains are read and VUKA_ENV is live');
  if (env === 'sandbox') return;
  const families = new Set(served.map(([name]) => chainNamed(name)?.family));
  if (families.has('evm') && depositXpub === null)
    refuseSetting('DEPOSIT_XPUB', 'set where EVM chains are read and VUKA_ENV is live');
  if (families.has('solana') && chains.solanaAddressesFile === undefined)
    refuseSetting('SOLANA_ADDRESSES_FILE', 'set where Solana is read and VUKA_ENV is live');
  if (families.has('stellar') && chains.stellarAccount === null)
    refuseSetting('STELLAR_ACCOUNT', 'set where Stellar is read and VUKA_ENV is live');
}
