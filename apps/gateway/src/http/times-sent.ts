/**
 * How often a header was sent, by its name in lower case. Node joins the values of most that come twice, and of some
 * (Host, Content-Type) keeps the first and says nothing.
 */
export function timesSent(name: string, rawHeaders: readonly string[]): number {
  let times = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) times++;
  }
  return times;
}
