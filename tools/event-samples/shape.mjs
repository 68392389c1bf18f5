/** Every member with the type of its value, as one text: `data.payload.message: string, …`. */
export function shapeOf(value, path = '') {
  if (value === null || typeof value !== 'object') return `${path}: ${value === null ? 'null' : typeof value}`;
  return Object.entries(value)
    .map(([name, member]) => shapeOf(member, path === '' ? name : `${path}.${name}`))
    .sort()
    .join(', ');
}

/** The first event of each shape, and of each message: what differs only in numbers is told once. */
export function sampleOf(envelopes) {
  const kinds = new Map();
  for (const envelope of envelopes) {
    const kind = `${shapeOf(envelope)} ${envelope.data?.payload?.message ?? ''}`;
    if (!kinds.has(kind)) kinds.set(kind, envelope);
  }
  return [...kinds.values()];
}
