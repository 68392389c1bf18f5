/** Keys are spread over this many buckets. A cursor is kept per consumer group and bucket. `outbox.sql` checks the same number. */
export const OUTBOX_BUCKETS = 16;

/**
 * Bucket of a key: FNV-1a (32 bits, over the UTF-8 bytes) modulo OUTBOX_BUCKETS. Stored with the row, so it must
 * never change for a key that has rows.
 */
export function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % OUTBOX_BUCKETS;
}
