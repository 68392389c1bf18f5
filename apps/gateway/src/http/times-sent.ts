/** `name` in lower case. Node joins most repeated headers, but silently keeps the first Host or Content-Type. */
export function timesSent(name: string, rawHeaders: readonly string[]): number {
  let times = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) times++;
  }
  return times;
}
