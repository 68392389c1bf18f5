import { gatewayApi, type InternalClient, notifierApi, paymentsApi } from '@vuka/contracts';
import { WALLETS, type Problem, type Result } from '@vuka/domain';
import { type InternalServices, newCallContext } from '@vuka/http';

import { writeDurably } from './durable-file.js';
import type { Secrets } from './secrets.js';

interface Seed {
  readonly key: string;
  readonly name: string;
  readonly email: string;
}

const PARTNERS: readonly Seed[] = [
  { key: 'sandbox1', name: 'Sandbox One', email: 'one@sandbox.invalid' },
  { key: 'sandbox2', name: 'Sandbox Two', email: 'two@sandbox.invalid' },
];

const SEED_BUDGET_MS = 10_000;

export interface SandboxPartner {
  readonly id: number;
  readonly name: string;
  readonly consumer_key: string;
  readonly checkout_key: string;
  readonly webhook_secret: string;
}

export interface ChainAddress {
  readonly rpc_url: string;
  /** EVM only. */
  readonly chain_id?: number;
}

export interface SandboxDirectory {
  readonly base_url: string;
  readonly docs_url: string;
  readonly partners: readonly SandboxPartner[];
  /** The sandbox's own nodes by chain name. */
  readonly chains?: Readonly<Record<string, ChainAddress>>;
}

/** `vk_test_<kind>_<id>_<secret>` (decisions.md section 7). Derived, so never stored. */
export function sandboxKey(
  secrets: Pick<Secrets, 'sandboxKeySecret'>,
  partner: string,
  kind: 'consumer' | 'checkout',
): string {
  return `vk_test_${kind}_${partner}_${secrets.sandboxKeySecret(partner, kind)}`;
}

export function sandboxOpenings(): { currency: string; amount_minor: string }[] {
  return WALLETS.map(({ code, sandboxOpeningMinor }) => ({
    currency: code,
    amount_minor: sandboxOpeningMinor.toString(),
  }));
}

/** More than two are for tests. */
function seeds(count: number): readonly Seed[] {
  const more = Array.from({ length: Math.max(0, count - PARTNERS.length) }, (_, index) => PARTNERS.length + index + 1);
  return [
    ...PARTNERS,
    ...more.map((number) => ({
      key: `sandbox${number}`,
      name: `Sandbox ${number}`,
      email: `sandbox${number}@sandbox.invalid`,
    })),
  ];
}

/**
 * Creates missing partners, keys, wallets and webhook secrets through the normal operations. Idempotent. `count`: see
 * `VUKA_TEST_PARTNERS`.
 */
export async function seedSandbox(
  services: InternalServices,
  secrets: Secrets,
  count = PARTNERS.length,
): Promise<SandboxPartner[]> {
  const gateway: Pick<InternalClient<typeof gatewayApi>, 'ensureSandboxPartner'> = services.client(gatewayApi);
  const payments: Pick<InternalClient<typeof paymentsApi>, 'openSandboxWallets'> = services.client(paymentsApi);
  const notifier: Pick<InternalClient<typeof notifierApi>, 'ensureWebhookSecret'> = services.client(notifierApi);
  const partners: SandboxPartner[] = [];
  for (const { key, name, email } of seeds(count)) {
    const context = newCallContext({ budgetMs: SEED_BUDGET_MS });
    const keys = {
      consumer_key: sandboxKey(secrets, key, 'consumer'),
      checkout_key: sandboxKey(secrets, key, 'checkout'),
    };
    const { partner_id } = expectOk(await gateway.ensureSandboxPartner({ name, email, ...keys }, context));
    expectOk(await payments.openSandboxWallets({ partner_id, openings: sandboxOpenings() }, context));
    const { secret } = expectOk(await notifier.ensureWebhookSecret({ partner_id }, context));
    partners.push({ id: partner_id, name, ...keys, webhook_secret: secret });
  }
  return partners;
}

function expectOk<T>(result: Result<T, Problem>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** Contains keys: readable by the owner only. */
export function writeSandboxFile(path: string, directory: SandboxDirectory): Promise<void> {
  return writeDurably(path, `${JSON.stringify(directory, null, 2)}\n`);
}
