import type { SavedQuery } from '../../ui/device-preferences.ts'

/** With a query under its name, in place of one that had it; by name. */
export function withSaved(saved: readonly SavedQuery[], query: SavedQuery): readonly SavedQuery[] {
  return [...withoutSaved(saved, query.name), query].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Without the query of that name. */
export function withoutSaved(saved: readonly SavedQuery[], name: string): readonly SavedQuery[] {
  return saved.filter((other) => other.name !== name)
}

/** With another name for a query; nothing changes where the new one is empty. */
export function renamedSaved(
  saved: readonly SavedQuery[],
  name: string,
  next: string,
): readonly SavedQuery[] {
  const query = saved.find((other) => other.name === name)
  const wanted = next.trim()
  if (query === undefined || wanted === '') return saved
  return withSaved(withoutSaved(saved, name), { ...query, name: wanted })
}
