import { readdirSync, readFileSync } from 'node:fs';

/**
 * One line per thread: name, state, CPU time (1/100 s) and what it waits for in the kernel. Linux only; '' elsewhere.
 */
export function whereItStands(pid: number): string {
  const folder = `/proc/${pid}/task`;
  const read = (thread: string, name: string): string => readFileSync(`${folder}/${thread}/${name}`, 'utf8').trim();
  try {
    return readdirSync(folder)
      .map((thread) => {
        const stat = read(thread, 'stat');
        const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return `${read(thread, 'comm')} ${state} ${Number(fields[10]) + Number(fields[11])} ${read(thread, 'wchan')}`;
      })
      .join('\n');
  } catch {
    return '';
  }
}
