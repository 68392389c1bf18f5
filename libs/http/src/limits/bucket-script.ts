/** Lua that sets `now` to Redis server time in whole milliseconds, the one clock that all processes share. */
export const NOW_BY_REDIS = "local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)";

/**
 * Takes one token from bucket KEYS[1], with the arithmetic of MemoryBuckets. ARGV: burst, one token, refill per ms,
 * all in millionths of a token. Returns allowed (1 or 0) and the debt after it.
 *
 * The key holds `<debt> <ms>` and expires when the bucket is full. If the Redis clock is set back, buckets stand
 * still. If it is set forward, at most one burst is given back.
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
