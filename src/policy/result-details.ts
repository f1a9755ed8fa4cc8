import type { PolicyGroup } from './policy-group.ts'

/** What the details of a result hold, by their shape (docs/services.md#result-details). */
export type ResultDetails =
  | { readonly shape: 'uris'; readonly uris: readonly string[] }
  | {
      readonly shape: 'vulnerable-package'
      readonly purl: string
      readonly predicateType: string | null
    }
  | { readonly shape: 'key-ids'; readonly keyIds: readonly string[] }
  | { readonly shape: 'message'; readonly message: string }
  | { readonly shape: 'build-tool'; readonly buildTool: string }
  | { readonly shape: 'none' }
  /** Never seen before: shown as JSON. */
  | { readonly shape: 'other' }

/** Texts that older servers put among the details, which are shown elsewhere. */
const shownElsewhere = new Set(['description', 'remediation'])

/**
 * Tells the shape by all its keys: with one more key than a shape has, it is `other`. A text is a
 * message, a list or a number has no shape.
 */
export function resultDetails(details: unknown): ResultDetails {
  if (details === '') return { shape: 'none' }
  if (typeof details === 'string') return { shape: 'message', message: details }
  if (!isRecord(details))
    return { shape: details === null || details === undefined ? 'none' : 'other' }
  const keys = Object.keys(details).filter((key) => !shownElsewhere.has(key))
  if (keys.length === 0) return { shape: 'none' }
  const has = (...wanted: string[]): boolean => keys.every((key) => wanted.includes(key))
  const { uris, vulnerablePackage, predicateType, keyIds, message, buildTool } = details
  if (has('uris') && isTexts(uris)) return { shape: 'uris', uris }
  if (has('keyIds') && isTexts(keyIds)) return { shape: 'key-ids', keyIds }
  if (has('message') && typeof message === 'string') return { shape: 'message', message }
  if (has('buildTool') && typeof buildTool === 'string') return { shape: 'build-tool', buildTool }
  if (has('vulnerablePackage', 'predicateType') && typeof vulnerablePackage === 'string') {
    const type = typeof predicateType === 'string' ? predicateType : null
    return { shape: 'vulnerable-package', purl: vulnerablePackage, predicateType: type }
  }
  return { shape: 'other' }
}

/** The details as one line of text, for exports and search. */
export function detailsText(details: unknown): string {
  const read = resultDetails(details)
  switch (read.shape) {
    case 'uris':
      return read.uris.join(', ')
    case 'key-ids':
      return read.keyIds.join(', ')
    case 'message':
      return read.message
    case 'build-tool':
      return read.buildTool
    case 'vulnerable-package':
      return read.purl
    case 'none':
      return ''
    case 'other':
      return JSON.stringify(details)
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** What is searched of policies: made when it is first wanted, and remembered with the policy. */
export interface PolicyTexts {
  /**
   * The texts of a policy in lower case, part by part, each made only on demand: a policy
   * may have fifty thousand results. No word goes from one part over into the next.
   */
  readonly partsOf: (group: PolicyGroup) => Iterable<string>
}

/** So many results are made a part together: a fraction of a millisecond. */
const resultsTogether = 50

/** Nothing is remembered yet. */
export function createPolicyTexts(): PolicyTexts {
  const known = new WeakMap<PolicyGroup, string[]>()
  return {
    partsOf: function* (group) {
      const parts = known.get(group) ?? []
      known.set(group, parts)
      for (let index = 0; ; index++) {
        const part = parts[index] ?? partOf(group, index)
        if (part === undefined) return
        // The other of two searches that go through the same policy may have been here.
        parts[index] = part
        yield part
      }
    },
  }
}

/** First what the policy says itself, then its results; undefined after the last of them. */
function partOf(group: PolicyGroup, index: number): string | undefined {
  const { policyUri, description, remediation, labels, results } = group
  if (index === 0) {
    return textOf([policyUri, description, remediation, ...Object.entries(labels).flat()])
  }
  const some = results.slice((index - 1) * resultsTogether, index * resultsTogether)
  return some.length === 0 ? undefined : textOf(some.map(({ details }) => detailsText(details)))
}

function textOf(lines: readonly string[]): string {
  return lines.join('\n').toLowerCase()
}
