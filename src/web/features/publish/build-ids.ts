import { isBuildId } from '../../../protocol/build-message.ts'
import { countOf } from '../../../protocol/count.ts'

/**
 * The builds that a pasted text names, each once: ids, or addresses of pages of builds, one a line or
 * separated by commas. What is no id stays as it was written, so that it can be marked.
 */
export function readBuildIds(text: string): readonly string[] {
  return [...new Set(namesIn(text))]
}

/** These builds, and those that a pasted text names, each once. */
export function withBuildIds(builds: readonly string[], text: string): readonly string[] {
  return text.trim() === '' ? builds : [...new Set([...builds, ...readBuildIds(text)])]
}

/** What came of adding a pasted text to these builds, in one sentence; '' for an empty text. */
export function addedText(builds: readonly string[], text: string): string {
  const named = namesIn(text)
  if (named.length === 0) return ''
  const fresh = [...new Set(named)].filter((id) => !builds.includes(id))
  const wrong = fresh.filter((id) => buildIdMistake(id) !== undefined).length
  const doubled = named.length - fresh.length
  return [
    `${countOf(fresh.length - wrong, 'build')} added`,
    ...(wrong === 0 ? [] : [`${countOf(wrong, 'entry', 'entries')} marked as invalid`]),
    ...(doubled === 0 ? [] : [`${countOf(doubled, 'duplicate')} skipped`]),
  ]
    .join(', ')
    .concat('.')
}

/** What is wrong with an id, in a plain sentence; undefined for a good one. */
export function buildIdMistake(id: string): string | undefined {
  if (isBuildId(id)) return undefined
  return id.length === 13
    ? 'A build id has letters and digits only.'
    : `A build id has 13 letters and digits; this one has ${id.length} characters.`
}

function namesIn(text: string): readonly string[] {
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map(idOf)
}

function idOf(part: string): string {
  const ofPage = /\/(?:s|builds)\/([\w.~-]{13})(?:[/?#]|$)/.exec(part)?.[1]
  return ofPage ?? part
}
