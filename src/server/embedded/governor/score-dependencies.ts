import { dayMs } from '../../../protocol/clock.ts'
import { textMatcher } from '../../../search/evaluate/wildcard.ts'
import type { DependencyInsights } from './evidence.ts'
import type { PolicyDefinition } from './policy-definition.ts'

type Scoring = Extract<PolicyDefinition, { kind: 'DependencyScoring' }>['spec']
type Insight = DependencyInsights['purls'][string]

/** What a scoring comes to, as its details have it; scores are 0 to 100. */
export interface DependencyScore {
  readonly overallScore: number
  readonly baseline: number
  readonly categories: Readonly<
    Record<'VULNERABILITY' | 'UPGRADE', { score: number; compliant: number; total: number }>
  >
  /** The highest one reached. */
  readonly tier: string | null
  readonly nextTier: { readonly name: string; readonly pointsNeeded: number } | null
  /** What is overdue: vulnerabilities by their id, upgrades by the package and the newer version. */
  readonly overdue: readonly string[]
}

/**
 * Scores dependencies by how long fixes and upgrades have been there and were not taken, up to the
 * time at which the insights were gathered: whoever is within the time that a rule allows complies.
 * What nobody can fix, and what no rule is about, is not counted; where nothing is, the score is 100.
 */
export function scoreDependencies(spec: Scoring, insights: DependencyInsights): DependencyScore {
  const { baseline, tiers, weightRules } = spec
  const now = Date.parse(insights.verifiedTime)
  const vulnerability = category(vulnerabilities(spec, insights, now))
  const upgrade = category(upgrades(spec, insights, now))
  const { VULNERABILITY, UPGRADE } = weightRules.categoryWeights
  const overallScore = Math.round(
    (vulnerability.score * VULNERABILITY + upgrade.score * UPGRADE) / 100,
  )
  const upwards = [...tiers].sort((a, b) => a.minScore - b.minScore)
  const next = upwards.find(({ minScore }) => minScore > overallScore)
  return {
    overallScore,
    baseline,
    categories: { VULNERABILITY: vulnerability.summary, UPGRADE: upgrade.summary },
    tier: upwards.findLast(({ minScore }) => minScore <= overallScore)?.name ?? null,
    nextTier:
      next === undefined ? null : { name: next.name, pointsNeeded: next.minScore - overallScore },
    overdue: [...vulnerability.overdue, ...upgrade.overdue],
  }
}

/** One thing that counts, and whether it is still in time. */
interface Counted {
  readonly name: string
  readonly complies: boolean
}

function category(counted: readonly Counted[]) {
  const compliant = counted.filter(({ complies }) => complies).length
  const total = counted.length
  const score = total === 0 ? 100 : Math.round((100 * compliant) / total)
  const overdue = counted.filter(({ complies }) => !complies).map(({ name }) => name)
  return { score, summary: { score, compliant, total }, overdue }
}

/** Each once, however many packages have it: the strictest rule counts, and the oldest fix. */
function vulnerabilities(spec: Scoring, { purls }: DependencyInsights, now: number): Counted[] {
  const found = new Map<string, { sloDays: number; fixedAt: number }>()
  for (const [purl, insight] of Object.entries(purls)) {
    const rule = spec.scoringRules.vulnerability.find(({ purlPatterns }) =>
      isOf(purlPatterns, purl),
    )
    const fixedAt = oldest(
      upgradesOf(insight, 'MAJOR').filter(
        (upgrade) => upgrade.vulnerabilitiesRemainingAfterUpgrade < insight.vulnerabilities.length,
      ),
    )
    if (rule === undefined || fixedAt === undefined) continue
    for (const { id, severity } of insight.vulnerabilities) {
      const sloDays = rule.slo[worst(severity.map(({ score }) => cvssSeverity(score)))] ?? 0
      if (sloDays === 0) continue
      const before = found.get(id)
      found.set(id, {
        sloDays: Math.min(sloDays, before?.sloDays ?? sloDays),
        fixedAt: Math.min(fixedAt, before?.fixedAt ?? fixedAt),
      })
    }
  }
  return [...found].map(([name, { sloDays, fixedAt }]) => ({
    name,
    complies: now <= fixedAt + sloDays * dayMs,
  }))
}

function upgrades(spec: Scoring, { purls }: DependencyInsights, now: number): Counted[] {
  return Object.entries(purls).flatMap(([purl, insight]) => {
    const rule = spec.scoringRules.upgrade.find(({ purlPatterns }) => isOf(purlPatterns, purl))
    if (rule === undefined) return []
    const there = upgradesOf(insight, rule.strategy)
    const since = oldest(there)
    const complies = since === undefined || now <= since + rule.sloDays * dayMs
    return [{ name: `${purl} → ${there.map(({ version }) => version).join(', ')}`, complies }]
  })
}

type Upgrades = NonNullable<Insight['versions']['latestPatch']>

/** Those that a strategy requires: a patch strategy does not mind a newer minor release. */
function upgradesOf({ versions }: Insight, strategy: 'PATCH' | 'MINOR' | 'MAJOR'): Upgrades[] {
  const { latestPatch, latestMinor, latestMajor } = versions
  const required = {
    PATCH: [latestPatch],
    MINOR: [latestPatch, latestMinor],
    MAJOR: [latestPatch, latestMinor, latestMajor],
  }
  return required[strategy].filter((upgrade) => upgrade !== undefined)
}

function oldest(there: readonly Upgrades[]): number | undefined {
  const times = there.map(({ publishedTime }) => Date.parse(publishedTime))
  return times.length === 0 ? undefined : Math.min(...times)
}

const bySeverity: readonly Severity[] = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']

/** One that nobody rated counts as low: it is there all the same. */
function worst(severities: readonly (Severity | undefined)[]): Severity {
  return bySeverity.find((severity) => severities.includes(severity)) ?? 'LOW'
}

function isOf(patterns: readonly string[], purl: string): boolean {
  return patterns.some((pattern) => {
    const [first = '', ...rest] = pattern.split(/\*+/)
    return textMatcher([first, ...rest])(purl)
  })
}

/** How bad a vulnerability is, by the ranges of CVSS v3 (FIRST, section 5). */
type Severity = 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW'

/**
 * The severity of a CVSS v3 vector such as `CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H`, from its
 * base score; undefined for a text that is none, and for a score of nothing.
 */
export function cvssSeverity(vector: string): Severity | undefined {
  const score = baseScore(vector)
  if (score === undefined || score === 0) return undefined
  return score >= 9 ? 'CRITICAL' : score >= 7 ? 'HIGH' : score >= 4 ? 'MEDIUM' : 'LOW'
}

const weights: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  PR: { N: 0.85, L: 0.62, H: 0.27 },
  /** Where the scope changes, privileges count for less. */
  PRC: { N: 0.85, L: 0.68, H: 0.5 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
}

/** FIRST, CVSS v3.1, section 7.1. */
function baseScore(vector: string): number | undefined {
  if (!/^CVSS:3\.[01]\//.test(vector)) return undefined
  const metrics = new Map(
    vector
      .split('/')
      .slice(1)
      .map((part) => {
        const [name = '', value = ''] = part.split(':')
        return [name, value] as const
      }),
  )
  const weight = (name: string, from = name): number =>
    weights[from]?.[metrics.get(name) ?? ''] ?? Number.NaN
  const isChanged = metrics.get('S') === 'C'
  const left = (1 - weight('C')) * (1 - weight('I')) * (1 - weight('A'))
  const base = 1 - left
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base
  const exploitability =
    8.22 * weight('AV') * weight('AC') * weight('PR', isChanged ? 'PRC' : 'PR') * weight('UI')
  const sum = isChanged ? 1.08 * (impact + exploitability) : impact + exploitability
  if (Number.isNaN(sum)) return undefined
  return impact <= 0 ? 0 : roundedUp(Math.min(sum, 10))
}

/** To one decimal, in whole numbers, as fractions such as 0.1 are not exact. */
function roundedUp(score: number): number {
  return Math.ceil(Math.round(score * 100_000) / 10_000) / 10
}
