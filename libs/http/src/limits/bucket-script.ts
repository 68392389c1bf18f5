/** Sets `now` in ms by the Redis clock, which all processes share. */
export const NOW_BY_REDIS = "local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)";

/**
 * Takes one token from bucket KEYS[1], or gives one back where it is negative. ARGV: burst, one token, refill per ms, in millionths of a token. Returns
 * allowed (1 or 0) and debt.
 *
 * The key holds `<debt> <ms>` and expires when the bucket is full. A clock set back stops refills; one set forward
 * gives back one burst at most.
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
  debt = math.max(0, debt + token)
end
redis.call('SET', KEYS[1], string.format('%.0f %.0f', debt, now), 'PX', math.ceil(debt / per_ms) + 1000)
return {allowed, debt}`;
}
