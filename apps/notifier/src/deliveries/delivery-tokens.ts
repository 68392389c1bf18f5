/** WakeSignal: notified when deliveries are new or due, and when an attempt has ended. */
export const DELIVERY_SIGNAL = Symbol('DELIVERY_SIGNAL');
/** DeliveryLimits. */
export const DELIVERY_LIMITS_IN_FORCE = Symbol('DELIVERY_LIMITS_IN_FORCE');
/** Random: what retries and pauses are spread by. */
export const RANDOM = Symbol('RANDOM');

/** In [0, 1). */
export type Random = () => number;
