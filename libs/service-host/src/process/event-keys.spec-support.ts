import { SERVICE_NAMES } from '@vuka/contracts';

const KEY = Buffer.alloc(32, 8).toString('base64url');

const withAll = Object.fromEntries(SERVICE_NAMES.map((name) => [name, [{ id: 'e1', key: KEY }]]));

/** Enough for any service: what it does not need is ignored. */
export const EVENT_KEYS = { to: withAll, from: withAll };
