import { readPackageUrl } from '../protocol/package-url.ts'
import { cutText, shortText } from '../protocol/untrusted-text.ts'
import { type DependencyScore, resultDetails, scoreText } from './result-details.ts'

/** So much is kept of why one policy fails: causes, and characters of each. */
export const mostCauses = 4
const longestCause = 200

/**
 * Why a result failed, in words, from its details: one text for each thing that they name, so that what
 * fails for the same reason elsewhere has the same text. At most four, and never more than 200
 * characters each; none where the details say nothing.
 */
export function causesOf(details: unknown): readonly string[] {
  const read = resultDetails(details)
  switch (read.shape) {
    case 'uris':
      return firstFew(read.uris)
    case 'vulnerable-package':
      return firstFew([purlWords(read.purl)])
    case 'key-ids':
      return read.keyIds.length === 0
        ? ['No signature']
        : firstFew(read.keyIds.map((keyId) => `Key not accepted: ${keyId}`))
    case 'message':
      return firstFew([read.message])
    case 'build-tool':
      return firstFew([toolWords(read.buildTool)])
    case 'toolchains':
      return firstFew(read.toolchains.map((toolchain) => `JDK ${toolchain}`))
    case 'score':
      return firstFew(overdueOf(read.score))
    case 'none':
      return []
    case 'other':
      return firstFew([
        read.fields.map(({ name, text }) => (name === '' ? text : `${name}: ${text}`)).join('; '),
      ])
  }
}

function overdueOf(score: DependencyScore): readonly string[] {
  return score.overdue.length === 0
    ? [scoreText(score)]
    : score.overdue.map((name) => `Overdue: ${name}`)
}

/** "org.apache.logging.log4j/log4j-core 2.14.1"; what is no package URL stays as it is. */
function purlWords(purl: string): string {
  const read = readPackageUrl(purl)
  if (!read.ok) return purl
  const { namespace, name, version } = read.purl
  const path = namespace === undefined ? name : `${namespace}/${name}`
  return version === undefined ? path : `${path} ${version}`
}

/** Build tools are named as their makers write them, with a capital. */
function toolWords(buildTool: string): string {
  return buildTool.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
}

function firstFew(texts: readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const text of texts) {
    const cause = cleanCause(text)
    if (cause !== '') found.add(cause)
    if (found.size === mostCauses) break
  }
  return [...found]
}

function cleanCause(text: string): string {
  const words = text
    .slice(0, 1000)
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return shortText(words, longestCause)
}

/** What the label of a policy says of its owner: there is no fixed one. Undefined where none does. */
export function ownerOf(labels: Readonly<Record<string, string>>): string | undefined {
  const name = Object.keys(labels).find((one) => /(?:^|[/._-])(?:owner|team)$/i.test(one))
  const owner = name === undefined ? '' : (labels[name] ?? '').trim()
  return owner === '' ? undefined : cutText(owner, 80)
}
