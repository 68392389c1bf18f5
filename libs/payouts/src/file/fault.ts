export type Path = readonly PropertyKey[];

/** `providers.0.base_url: …` */
export function faultAt(path: Path, rule: string): string {
  return `${path.map(String).join('.') || 'the whole of it'}: ${rule}`;
}
