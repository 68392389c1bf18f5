import { WakeSignal } from '@vuka/platform';

import type { GatewayDependencies } from './start-gateway.js';

/** For a gateway whose events go nowhere and that hears of none. */
export const DETACHED: Pick<GatewayDependencies, 'wire' | 'outboxSignal'> = {
  wire: { subscribe: () => () => Promise.resolve() },
  outboxSignal: new WakeSignal(),
};
