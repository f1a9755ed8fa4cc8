import { ColorSwatch, Group } from '@mantine/core'
import type { ReactElement } from 'react'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { ChartSeries } from '../../ui/charts/bar-scale.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, instantText } from '../../ui/format.ts'

/** What fails stands on the ground, where heights can be compared. */
const series: readonly ChartSeries[] = [
  { name: 'unsatisfied', color: 'var(--bar-bad)' },
  { name: 'unsatisfied but waived at the time', color: 'var(--waiting)' },
  { name: 'unknown', color: 'var(--bar-unknown)' },
  { name: 'satisfied', color: 'var(--bar-good)' },
]
/** Fewer runs than these do not fill the width, or each would be a wall. */
const fewest = 24
const most = 60

/** The policies of each run by how they came out, the oldest of the newest 60 at the left. */
export function RunBars({
  runs,
  summary,
}: {
  /** The newest first. */
  runs: readonly EvaluationSummary[]
  summary: string
}): ReactElement {
  const { zone } = usePreferences()
  const shown = runs.slice(0, most).reverse()
  const bars = shown.map((run) => ({
    id: run.id,
    label: instantText(run.endedAt, zone),
    axisLabel: dayText(run.endedAt, zone),
    values: valuesOf(run),
  }))
  return (
    <div>
      <BarChart
        bars={bars}
        series={series}
        unit="policies"
        summary={summary}
        heading="Run"
        end={bars.length < fewest ? '' : (bars.at(-1)?.axisLabel ?? '')}
        least={fewest}
      />
      <Group gap="2px 16px" c="dimmed" fz="xs" aria-hidden="true">
        {series.map(({ name, color }, index) =>
          bars.some(({ values }) => (values[index] ?? 0) > 0) ? (
            <Group key={name} gap={4}>
              <ColorSwatch size={10} radius={0} withShadow={false} color={color} />
              {name}
            </Group>
          ) : null,
        )}
      </Group>
    </div>
  )
}

/** As many as `series`, in its order. */
function valuesOf({ counts, waived }: EvaluationSummary): readonly number[] {
  const excused = Math.min(waived.length, counts.unsatisfied)
  return [counts.unsatisfied - excused, excused, counts.unknown, counts.satisfied]
}
