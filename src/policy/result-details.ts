import { cutText, shortText } from '../protocol/untrusted-text.ts'
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
  | { readonly shape: 'toolchains'; readonly toolchains: readonly string[] }
  | { readonly shape: 'score'; readonly score: DependencyScore }
  | { readonly shape: 'none' }
  /** Never seen before: its fields in the order of their names, at most 20 of them. */
  | { readonly shape: 'other'; readonly fields: readonly DetailField[] }

/** A field of details that have no known shape, in words. */
export interface DetailField {
  /** As people read it: "lastSeenAt" is "last seen at"; empty for what has no name. */
  readonly name: string
  /** At most 300 characters. */
  readonly text: string
}

/** What a scoring of dependencies came to; scores are 0 to 100. */
export interface DependencyScore {
  readonly overall: number
  /** The lowest score that satisfies the policy. */
  readonly baseline: number | null
  readonly categories: readonly {
    readonly name: string
    readonly score: number
    readonly compliant: number
    readonly total: number
  }[]
  readonly tier: string | null
  readonly nextTier: { readonly name: string; readonly pointsNeeded: number } | null
  /** Vulnerabilities and upgrades whose time has run out. */
  readonly overdue: readonly string[]
}

/** Texts that older servers put among the details, which are shown elsewhere. */
const shownElsewhere = new Set(['description', 'remediation'])

/** Tells the shape by all keys: with one more it is `other`. A text is a message, a list or number has no shape. */
export function resultDetails(details: unknown): ResultDetails {
  if (details === '') return { shape: 'none' }
  if (typeof details === 'string') return { shape: 'message', message: details }
  if (details === null || details === undefined) return { shape: 'none' }
  if (!isRecord(details)) return { shape: 'other', fields: fieldsOf(details) }
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
  const { toolchains } = details
  if (has('toolchains') && isTexts(toolchains)) return { shape: 'toolchains', toolchains }
  const score = has(...scoreKeys) ? dependencyScore(details) : undefined
  return score === undefined
    ? { shape: 'other', fields: fieldsOf(details) }
    : { shape: 'score', score }
}

const scoreKeys = ['overallScore', 'baseline', 'categories', 'tier', 'nextTier', 'overdue']

function dependencyScore(details: Readonly<Record<string, unknown>>): DependencyScore | undefined {
  const { overallScore, baseline, categories, tier, nextTier, overdue } = details
  if (typeof overallScore !== 'number') return undefined
  return {
    overall: overallScore,
    baseline: typeof baseline === 'number' ? baseline : null,
    categories: Object.entries(isRecord(categories) ? categories : {}).flatMap(([name, one]) =>
      isRecord(one) &&
      typeof one.score === 'number' &&
      typeof one.compliant === 'number' &&
      typeof one.total === 'number'
        ? [{ name, score: one.score, compliant: one.compliant, total: one.total }]
        : [],
    ),
    tier: typeof tier === 'string' ? tier : null,
    nextTier:
      isRecord(nextTier) &&
      typeof nextTier.name === 'string' &&
      typeof nextTier.pointsNeeded === 'number'
        ? { name: nextTier.name, pointsNeeded: nextTier.pointsNeeded }
        : null,
    overdue: isTexts(overdue) ? overdue : [],
  }
}

const mostFields = 20
const longestField = 300

function fieldsOf(details: unknown): readonly DetailField[] {
  if (!isRecord(details)) return [{ name: '', text: fieldText(details) }]
  return Object.keys(details)
    .filter((key) => !shownElsewhere.has(key))
    .sort()
    .slice(0, mostFields)
    .map((key) => ({ name: fieldName(key), text: fieldText(details[key]) }))
}

function fieldName(key: string): string {
  return cutText(key, 60)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
}

function fieldText(value: unknown): string {
  const text =
    typeof value === 'string'
      ? value
      : Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)
        ? value.map(String).join(', ')
        : JSON.stringify(value)
  return shortText(text, longestField)
}

/** "Score 62 of 100, 70 required". */
export function scoreText({ overall, baseline }: DependencyScore): string {
  return `Score ${overall} of 100${baseline === null ? '' : `, ${baseline} required`}`
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
    case 'toolchains':
      return read.toolchains.join(', ')
    case 'score':
      return [scoreText(read.score), ...read.score.overdue].join('; ')
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
