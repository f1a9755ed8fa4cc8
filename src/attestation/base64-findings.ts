import type { Base64Quirk } from './base64.ts'
import { note, warning, type Finding, type FindingCode } from './finding.ts'
import type { Place } from './place.ts'

/** One finding that names the quirks of a base64 text, if any; URL-safe alone is as good as standard. */
export function base64Findings(
  code: FindingCode,
  what: string,
  quirks: readonly Base64Quirk[],
  at: Place,
): Finding[] {
  if (quirks.length === 0) return []
  const named = quirks.map((quirk) => inWords[quirk]).join(', ')
  const message = `${what} ${named}; it was decoded all the same.`
  const isHarmless = quirks.every((quirk) => quirk === 'url-alphabet')
  return [isHarmless ? note(code, message, at) : warning(code, message, at)]
}

const inWords: Readonly<Record<Base64Quirk, string>> = {
  'url-alphabet': 'is in URL-safe base64',
  'mixed-alphabets': 'mixes both base64 alphabets',
  'missing-padding': 'lacks the padding "=" of base64',
  whitespace: 'has blanks or line breaks within its base64',
  'trailing-bits': 'has bits after its last byte (not canonical base64)',
}
