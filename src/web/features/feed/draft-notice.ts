import type { Follow } from './use-follow.ts'

/** How much of the query in force is told: enough to know it again. */
const longest = 80

/**
 * How what is being written stands to what the feed follows, where they are not the same: nothing is
 * followed by surprise, and nothing stops being followed because of a mistake.
 */
export function draftNotice({
  follow: { text, match },
  draft,
  hasErrors,
}: {
  readonly follow: Pick<Follow, 'text' | 'match'>
  readonly draft: string
  /** Of the draft. */
  readonly hasErrors: boolean
}): string | undefined {
  const inForce =
    match === undefined ? 'all builds are shown.' : `the feed follows ${shortened(text)}`
  if (draft === text) return hasErrors ? `Not followed, as it has errors: ${inForce}` : undefined
  if (hasErrors) return `Not followed while it has errors; until then ${inForce}`
  if (draft.trim() === '') return 'Press Enter to show all builds again.'
  return `Press Enter to follow this query; until then ${inForce}`
}

function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
