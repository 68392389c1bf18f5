/** Lua that sets `now`: whole milliseconds by the clock of the Redis server, the one that all processes share. */
export const NOW_BY_REDIS = "local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)";

/**
 * Takes one token from the bucket KEYS[1], by the arithmetic of MemoryBuckets. ARGV: what a full bucket holds, one token, what comes
 * back each millisecond, all in millionths of a token. Answers whether it was allowed (1, 0) and what the bucket misses after it.
 *
 * The key holds `<debt> <when>`. It goes when the bucket is full again, when it says nothing that its absence does not. A clock of
 * Redis that is set back stands still for buckets, and nobody owes more by it; one that is set forward gives back what would have come
 * back in that time, one burst at most: nobody can tell it from time.
 */
export function bucketScript(now: string): string {
  return `
local burst, token, per_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
${now}
local debt = 0
local held = redis.call('GET', KEYS[1])
if held then
  local before, at = string.match(held, '^(%d+) (%d+)$')
  if before then debt = math.max(0, tonumber(before) - math.max(0, now - tonumber(at)) * per_ms) end
end
local allowed = 0
if burst - debt >= token then
  allowed = 1
  debt = debt + token
end
redis.call('SET', KEYS[1], string.format('%.0f %.0f', debt, now), 'PX', math.ceil(debt / per_ms) + 1000)
return {allowed, debt}`;
}
