import { Group } from '@mantine/core'
import type { ReactElement } from 'react'
import { lazyPart } from '../lazy-part.tsx'
import { VisuallyHidden } from '../text.tsx'
import css from './charts.module.css'
import { inTurn } from './drawing-turn.tsx'
import { type LineChartProps, valueText } from './line-values.ts'

const Plot = lazyPart(async () => inTurn((await import('./line-plot.tsx')).LinePlot), {
  waiting: () => <div className={css.plot} />,
})

/**
 * Lines over time, with a tooltip, a selection, and the same as a table for screen readers. What draws
 * them is loaded on demand; its place is kept free until then.
 */
export function LineChart(props: LineChartProps): ReactElement {
  const { places, lines, format, summary, heading } = props
  return (
    <figure className={css.chart}>
      <Group component="ul" gap="2px 12px" m={0} p={0} fz="xs" c="dimmed" aria-hidden="true">
        {lines.map(({ name, color, isDashed }) => (
          <Group
            key={name}
            component="li"
            gap={6}
            wrap="nowrap"
            miw={0}
            style={{ overflowWrap: 'anywhere' }}
          >
            <svg viewBox="0 0 16 8" width={16} height={8} style={{ flex: 'none' }}>
              <path
                d="M0 4h16"
                stroke={color}
                strokeWidth={2}
                strokeDasharray={isDashed === true ? '4 2' : undefined}
              />
            </svg>
            {name}
          </Group>
        ))}
      </Group>
      <Plot {...props} />
      <VisuallyHidden as="div">
        <table>
          <caption>{summary}</caption>
          <thead>
            <tr>
              <th scope="col">{heading}</th>
              {lines.map(({ name }) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {places.map(({ id, label }, index) => (
              <tr key={id}>
                <th scope="row">{label}</th>
                {lines.map(({ name, values }) => (
                  <td key={name}>{valueText(values[index], format)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}
