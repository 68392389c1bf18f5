/** Throws after `withinMs`. */
export async function until<T>(what: string, withinMs: number, ask: () => Promise<T | null>): Promise<T> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline;) {
    const answer = await ask();
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what}: not within ${withinMs} ms`);
}
