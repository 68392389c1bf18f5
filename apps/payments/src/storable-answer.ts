import type { RailAnswer } from '@vuka/payouts';

/** Longest text kept of a rail's answer, in characters. */
const LONGEST = { receipt: 100, publicName: 200, detail: 300 } as const;

// eslint-disable-next-line no-control-regex -- these are what it removes
const CONTROL = /[\u0000-\u001f\u007f]/g;

/**
 * A rail's answer with texts that can be stored: no control characters (PostgreSQL refuses NUL), no half of a surrogate
 * pair, bounded. A payment that was made must be recordable whatever its rail calls the recipient.
 */
export function storable<A extends RailAnswer>(answer: A): A {
  const clean = Object.entries(LONGEST).flatMap(([field, longest]) => {
    const text = (answer as Partial<Record<string, unknown>>)[field];
    return typeof text === 'string' ? [[field, text.toWellFormed().replace(CONTROL, '').slice(0, longest).toWellFormed()]] : [];
  });
  return { ...answer, ...(Object.fromEntries(clean) as Partial<A>) };
}
