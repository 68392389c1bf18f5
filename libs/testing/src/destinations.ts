let made = 0;

/**
 * An account number nobody else in this process has, ending in the sandbox number given: the rail's book then tells
 * of one transfer alone. Ten digits, which every currency's rule accepts.
 */
export function accountNumber(sandboxNumber = '7890'): string {
  made += 1;
  if (made > 899_999) throw new Error('no more account numbers');
  return `${100_000 + made}${sandboxNumber}`;
}
