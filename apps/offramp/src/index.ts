import type { OfframpDependencies } from './app.module.js';
import type { OfframpService } from './start-offramp.js';

export type { OfframpDependencies, OfframpService };
export { ChainDesk, type SwitchView, type UnclaimedView } from './desk/chain-desk.js';
export type { HoldingsView, HoldingView } from './desk/chain-holdings.js';
export { openOfframpDesk, type OfframpDeskGround, type OfframpDeskMethods } from './desk/offramp-desk.js';
export type { ImportedTransfer, TransfersToSign } from './refunds/refund-desk.js';
export { SANDBOX_XPUB } from './sandbox-xpub.js';
export { SANDBOX_SCREENED } from './screening.js';
export type { RefundView } from './store/refund.store.js';
export { OFFRAMP_MIGRATIONS } from './store/migrations.js';

/** As in start-offramp.ts, which is loaded when it is called: the desk wants the tables alone, no framework and no chains. */
export async function startOfframp(deps: OfframpDependencies): Promise<OfframpService> {
  return (await import('./start-offramp.js')).startOfframp(deps);
}
