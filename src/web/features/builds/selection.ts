/** The builds that were chosen, and the one that a range begins at. */
export interface Selection {
  readonly chosen: ReadonlySet<string>
  readonly anchor: string | undefined
}

export const nothingChosen: Selection = { chosen: new Set(), anchor: undefined }

/** One more build chosen, or one less. */
export function toggled({ chosen }: Selection, id: string): Selection {
  const next = new Set(chosen)
  if (!next.delete(id)) next.add(id)
  return { chosen: next, anchor: id }
}

/** All builds from the one that was toggled last to `id`, in the order of the list; chosen, too. */
export function extended(selection: Selection, id: string, order: readonly string[]): Selection {
  const from = selection.anchor === undefined ? -1 : order.indexOf(selection.anchor)
  const to = order.indexOf(id)
  if (from === -1 || to === -1) return toggled(selection, id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { chosen: new Set([...selection.chosen, ...range]), anchor: id }
}
