import { chainNamed, CHAINS, type ChainFamily } from '@vuka/domain';

import type { RateSettings } from './rate-settings.js';
import { refuseSetting } from './refuse-setting.js';

export interface ChainSettings {
  /** They hold keys: never log or show them. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  /** How many endpoints must give the same answer. */
  readonly agree: number;
  /** Public, but confidential. null: the sandbox's own. */
  readonly depositXpub: string | null;
  readonly solanaAddressesFile?: string;
  /** G…; null: Stellar is not served. */
  readonly stellarAccount: string | null;
  /** Deposits from these addresses wait for a person's check. */
  readonly screeningFile?: string;
  /** Our other addresses: transfers from them are not deposits. */
  readonly ownAddressesFile?: string;
  readonly unapplied: UnappliedPolicy;
  /** Limit, per partner, of deposits paid out while a reorganisation may still remove them. */
  readonly exposureLimitCents: bigint;
  readonly refundWallets: Readonly<Partial<Record<ChainFamily, string>>>;
  /** The sandbox signs refunds with these. Never in live. */
  readonly sandboxRefundKeysFile?: string;
  /**
   * Tests only: epoch length of the sandbox's EVM nodes in blocks; `finalized` is two epochs behind the head.
   */
  readonly epochBlocks?: number;
  /** Tests only: longest search for a transfer. */
  readonly searchMs?: number;
}

/** What happens to value that arrived but cannot be used for its claim. */
export type UnappliedPolicy = 'keep' | 'wallet';

export interface ChainSecrets {
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  readonly depositXpub: string | null;
  readonly ratesUrl: string | null;
}

const PREFIX = 'CHAIN_RPC_';
const NOT_CHAINS = new Set([`${PREFIX}AGREE`]);
const MOST_ENDPOINTS = 8;
const READABLE = CHAINS.map(({ name }) => name);
const RULE = `1 to ${MOST_ENDPOINTS} different http or https URLs, separated by commas`;

export const chainVariable = (chain: string): string => PREFIX + chain;

export const CHAIN_VARIABLES: readonly string[] = READABLE.map(chainVariable);

/** Throws SettingsError, without the URL. Ignores variables of unknown chains. */
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

/** `all`, `none`, or comma-separated names. Throws SettingsError. */
export function sandboxChainsOf(text: string): readonly string[] {
  if (text === 'all') return READABLE;
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim().toUpperCase());
  return names.every(isReadableChain) && new Set(names).size === names.length
    ? names
    : refuseSetting(
        'VUKA_SANDBOX_CHAINS',
        `all, none, or different names from this list, separated by commas: ${READABLE.join(', ')}`,
      );
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

/** Throws SettingsError if the URL is set in both places. */
export function withRateSecrets(settings: RateSettings, { ratesUrl }: ChainSecrets): RateSettings {
  if (ratesUrl !== null && settings.url !== null)
    refuseSetting('RATES_URL', 'left out, because VUKA_SECRETS_FILE has a rates_url');
  return { ...settings, url: settings.url ?? ratesUrl };
}

/** Throws SettingsError if something is set in both places. */
export function withChainSecrets(settings: ChainSettings, secrets: ChainSecrets): ChainSettings {
  const both = Object.keys(secrets.endpoints).find((chain) => settings.endpoints[chain] !== undefined);
  if (both !== undefined)
    refuseSetting(chainVariable(both), 'left out, because VUKA_SECRETS_FILE names the endpoints of that chain');
  if (secrets.depositXpub !== null && settings.depositXpub !== null)
    refuseSetting('DEPOSIT_XPUB', 'left out, because VUKA_SECRETS_FILE has a deposit_xpub');
  return {
    ...settings,
    endpoints: { ...settings.endpoints, ...secrets.endpoints },
    depositXpub: settings.depositXpub ?? secrets.depositXpub,
  };
}

/**
 * Rules across several settings. Throws SettingsError: one endpoint alone could make us pay for a deposit that
 * never arrived.
 */
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
    refuseSetting('CHAIN_RPC_AGREE', 'at least 2 when VUKA_ENV is live: Vuka does not trust a single endpoint');
  for (const [chain, urls] of served) {
    if (urls.length < agree)
      refuseSetting(chainVariable(chain), `at least ${agree} URLs, because CHAIN_RPC_AGREE is ${agree}`);
  }
  if (env === 'sandbox') return;
  if (rates.url === null) refuseSetting('RATES_URL', 'set when VUKA_ENV is live and chains are read');
  const families = new Set(served.map(([name]) => chainNamed(name)?.family));
  if (families.has('evm') && depositXpub === null)
    refuseSetting('DEPOSIT_XPUB', 'set when VUKA_ENV is live and EVM chains are read');
  if (families.has('solana') && chains.solanaAddressesFile === undefined)
    refuseSetting('SOLANA_ADDRESSES_FILE', 'set when VUKA_ENV is live and Solana is read');
  if (families.has('stellar') && chains.stellarAccount === null)
    refuseSetting('STELLAR_ACCOUNT', 'set when VUKA_ENV is live and Stellar is read');
}
