/** How bad a vulnerability is, by the ranges of CVSS v3 (FIRST, section 5). */
export type Severity = 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW'

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
