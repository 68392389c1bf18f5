/** WakeSignal: for due deliveries and ended attempts. */
export const DELIVERY_SIGNAL = Symbol('DELIVERY_SIGNAL');
/** DeliveryLimits. */
export const DELIVERY_LIMITS_IN_FORCE = Symbol('DELIVERY_LIMITS_IN_FORCE');
/** Random, for jitter. */
export const RANDOM = Symbol('RANDOM');

/** In [0, 1). */
export type Random = () => number;
