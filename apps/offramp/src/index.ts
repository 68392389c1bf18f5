import type { OfframpDependencies } from './app.module.js';
import type { OfframpService } from './start-offramp.js';

export type { OfframpDependencies, OfframpService };
export {
  ChainDesk,
  type HoldingsView,
  type HoldingView,
  type ImportedTransfer,
  type OfframpDeskGround,
  type OfframpDeskMethods,
  openOfframpDesk,
  type SwitchView,
  type TransfersToSign,
  type UnclaimedView,
} from './admin/index.js';
export { SANDBOX_XPUB } from './addresses/index.js';
export { SANDBOX_SCREENED } from './screening/index.js';
export type { RefundView } from './refunds/index.js';
export { OFFRAMP_MIGRATIONS } from './store/migrations.js';

/** As in start-offramp.ts, which is loaded when it is called: the desk wants the tables alone, no framework and no chains. */
export async function startOfframp(deps: OfframpDependencies): Promise<OfframpService> {
  return (await import('./start-offramp.js')).startOfframp(deps);
}
