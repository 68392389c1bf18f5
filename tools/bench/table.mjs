export const whole = (value) => Math.round(value).toLocaleString('en-US');
export const ms = (value) => value.toFixed(1);
export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
export const percent = (share) => `${Math.round(share * 100)} %`;

export function table(header, rows) {
  const texts = [header, ...rows.map((row) => row.map(String))];
  const widths = header.map((_, column) => Math.max(...texts.map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(texts[0]), rule, ...texts.slice(1).map(line)];
}
