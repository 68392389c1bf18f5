import { CORRIDORS, CURRENCIES, type Currency } from '@vuka/domain';

/** What the sandbox plays, first choice first. */
export const SANDBOX_PROVIDERS = ['sandbox', 'sandbox_b'] as const;
export type SandboxProviderId = (typeof SANDBOX_PROVIDERS)[number];

/** VUKA_PROVIDERS_FILE of a sandbox: every corridor by both, so that each payout has a second provider. */
export function sandboxProvidersFile(urls: Readonly<Record<SandboxProviderId, string>>): string {
  const countries = Object.values<Currency>(CURRENCIES).map(({ country }) => country);
  const providers = SANDBOX_PROVIDERS.map((id) => ({
    id,
    base_url: urls[id],
    secret: id,
    countries,
    accepts_stablecoin_funds: 'yes',
  }));
  const routes = CORRIDORS.map(({ currency, kind, network }) => ({
    currency,
    kind,
    ...(network !== null && { network }),
    providers: SANDBOX_PROVIDERS,
  }));
  return `${JSON.stringify({ providers, routes }, null, 2)}\n`;
}
