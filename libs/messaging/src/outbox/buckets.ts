/** `outbox.sql` checks the same number. */
export const OUTBOX_BUCKETS = 16;

/** FNV-1a (32 bits, UTF-8) modulo OUTBOX_BUCKETS. Stored with the row: must never change. */
export function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % OUTBOX_BUCKETS;
}
