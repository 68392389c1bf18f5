/** What live refuses unless VUKA_ACCEPT_RISK names it. docs/operators/going-live-risks.md has a row of each. */
export const RISK_NAMES = [
  'postgres-without-tls',
  'kafka-without-tls-and-login',
  'redis-without-password',
  'internal-server-public',
  'proxies-trust-everybody',
  'weak-credentials',
  'rate-limits-off',
  'logs-silent',
  'chains-over-http',
  'rates-over-http',
  'providers-over-http',
  'certificate-checks-off',
  'runs-as-root',
] as const;

export type RiskName = (typeof RISK_NAMES)[number];

/** null: one of them is no name of a risk. */
export function riskNamesOf(text: string): readonly RiskName[] | null {
  const names = text.split(',').map((name) => name.trim());
  const known = RISK_NAMES.filter((name) => names.includes(name));
  return names.every((name) => (RISK_NAMES as readonly string[]).includes(name)) ? known : null;
}
