import { countOf, countText } from '../../../protocol/count.ts'
import type { ChartSeries } from '../../ui/charts/bar-scale.ts'

/** Builds by outcome in every chart: failures stand on the ground, where they can be compared. */
export const outcomeSeries: readonly ChartSeries[] = [
  { name: 'failed', color: 'var(--bar-bad)' },
  { name: 'succeeded', color: 'var(--bar-good)' },
  { name: 'unknown', color: 'var(--bar-unknown)' },
]

interface OutcomeCounts {
  readonly failed: number
  readonly succeeded: number
  readonly unknown: number
}

/** The values of a bar, in the order of `outcomeSeries`. */
export function outcomeValues({ failed, succeeded, unknown }: OutcomeCounts): readonly number[] {
  return [failed, succeeded, unknown]
}

/** Builds by outcome as text: "40 builds, 3 failed, 2 unknown". */
export function outcomesText({ failed, succeeded, unknown }: OutcomeCounts): string {
  const builds = countOf(failed + succeeded + unknown, 'build')
  return `${builds}, ${countText(failed)} failed, ${countText(unknown)} unknown`
}
