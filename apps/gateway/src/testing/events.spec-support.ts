import type { GatewayDependencies } from '../start-gateway.js';

/** For a gateway that hears of no events. */
export const DETACHED: Pick<GatewayDependencies, 'wire'> = {
  wire: { subscribe: () => () => Promise.resolve() },
};
