/** Results in input order; the first failure rejects all. */
export async function someAtOnce<In, Out>(
  items: readonly In[],
  most: number,
  work: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const done: Out[] = [];
  for (let at = 0; at < items.length; at += most)
    done.push(...(await Promise.all(items.slice(at, at + most).map(work))));
  return done;
}
