import { type PackageUrl, readPackageUrl } from '../../../protocol/package-url.ts'
import { textMatcher } from '../../../search/wildcard.ts'

/**
 * Whether a package URL is one that a pattern means: `*` stands for any run of characters, and a
 * part that the pattern leaves out (a version, qualifiers) may be anything.
 */
export function packageMatcher(pattern: string): (purl: string) => boolean {
  const wanted = readPackageUrl(pattern)
  if (!wanted.ok) return matcher(pattern)
  const { type, namespace, name, version } = wanted.purl
  const matches = [
    part(type, (purl) => purl.type),
    part(namespace, (purl) => purl.namespace),
    part(name, (purl) => purl.name),
    part(version, (purl) => purl.version),
  ]
  const qualifiers = [...wanted.purl.qualifiers]
  return (text) => {
    const read = readPackageUrl(text)
    return (
      read.ok &&
      matches.every((isMatch) => isMatch(read.purl)) &&
      qualifiers.every(([key, value]) => read.purl.qualifiers.get(key) === value)
    )
  }
}

function part(
  pattern: string | undefined,
  partOf: (purl: PackageUrl) => string | undefined,
): (purl: PackageUrl) => boolean {
  if (pattern === undefined) return () => true
  const matches = matcher(pattern)
  return (purl) => matches(partOf(purl) ?? '')
}

function matcher(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*')
  return textMatcher([first, ...rest])
}
