import { isBuildId } from '../../../protocol/build-id.ts'

/**
 * The builds that a pasted text names, each once: ids, or addresses of pages of builds, one a line or
 * separated by commas. What is no id stays as it was written, so that it can be marked.
 */
export function readBuildIds(text: string): readonly string[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '')
  return [...new Set(parts.map(idOf))]
}

/** These builds, and those that a pasted text names, each once. */
export function withBuildIds(builds: readonly string[], text: string): readonly string[] {
  return text.trim() === '' ? builds : [...new Set([...builds, ...readBuildIds(text)])]
}

/** What is wrong with an id, in a plain sentence; undefined for a good one. */
export function buildIdMistake(id: string): string | undefined {
  if (isBuildId(id)) return undefined
  if (isBuildId(id.toLowerCase())) return 'A build id has lower-case letters only.'
  return id.length === 13
    ? 'A build id has lower-case letters and digits only.'
    : `A build id has 13 lower-case letters and digits; this has ${id.length} characters.`
}

function idOf(part: string): string {
  const ofPage = /\/(?:s|builds)\/([a-z0-9]{13})(?:[/?#]|$)/.exec(part)?.[1]
  return ofPage ?? part
}
