import { readdirSync, readFileSync } from 'node:fs';

/**
 * What each thread of a process does, a line each: its name, its state, the processor it has had (hundredths of a second) and what it waits for in
 * the kernel. For processes that say nothing at all; only Linux tells, '' elsewhere and where the process has gone.
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
