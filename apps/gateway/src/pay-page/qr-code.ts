import qrcode from 'qrcode-generator';

import { html, type Html } from '../markup/index.js';

/** Quiet zone in modules (ISO/IEC 18004). */
const QUIET = 4;

/** Making a code blocks the process for milliseconds, and pages are reloaded. */
const MOST_KEPT = 500;
const kept = new Map<string, Drawn>();

interface Drawn {
  readonly size: string;
  readonly path: string;
}

/** Inline SVG, dark on white in any theme. Error correction M. */
export function qrCode(text: string, label: string): Html {
  const { size, path } = kept.get(text) ?? keep(text, draw(text));
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path}"/></svg>`;
}

function keep(text: string, drawn: Drawn): Drawn {
  const [oldest] = kept.size < MOST_KEPT ? [] : kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
  kept.set(text, drawn);
  return drawn;
}

function draw(text: string): Drawn {
  const code = qrcode(0, 'M');
  code.addData(text, 'Byte');
  code.make();
  const count = code.getModuleCount();
  const rows = Array.from({ length: count }, (_, row) => rowPath(count, row, (column) => code.isDark(row, column)));
  return { size: String(count + 2 * QUIET), path: rows.join('') };
}

function rowPath(count: number, row: number, isDark: (column: number) => boolean): string {
  let path = '';
  for (let from = 0; from < count; from++) {
    if (!isDark(from)) continue;
    let to = from + 1;
    while (to < count && isDark(to)) to++;
    const length = String(to - from);
    path += `M${String(from + QUIET)} ${String(row + QUIET)}h${length}v1h-${length}z`;
    from = to;
  }
  return path;
}
