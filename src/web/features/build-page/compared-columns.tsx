import type { ComparedExecution } from '../../../facts/comparison.ts'
import type { Execution } from '../../../facts/execution.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { exactDuration } from './exact-duration.ts'
import css from './execution-rows.module.css'
import type { Column } from './windowed-table.tsx'
import { changeWords, outcomeWords } from './words.ts'

/** How executions of two builds are listed. */
export const comparedColumns: readonly Column<ComparedExecution>[] = [
  {
    name: 'change',
    heading: 'Change',
    width: '128px',
    cell: ({ change }) => <StatusMark {...changeWords[change]} />,
  },
  {
    name: 'path',
    heading: 'Task, goal or test',
    width: 'minmax(0, 1fr)',
    cell: ({ path }) => (
      <span className={css.path} title={path}>
        {path}
      </span>
    ),
  },
  {
    name: 'left',
    heading: 'Left',
    width: '150px',
    isMinor: true,
    cell: ({ left }) => sideText(left),
  },
  {
    name: 'right',
    heading: 'Right',
    width: '150px',
    isMinor: true,
    cell: ({ right }) => sideText(right),
  },
  {
    name: 'difference',
    heading: 'Difference',
    width: '84px',
    isNumber: true,
    cell: ({ differenceMs }) =>
      `${differenceMs < 0 ? '−' : '+'}${exactDuration(Math.abs(differenceMs))}`,
  },
]

function sideText(execution: Execution | null): string {
  if (execution === null) return '–'
  const { outcome, durationMs } = execution
  const time = durationMs === null ? '' : ` ${exactDuration(durationMs)}`
  return `${outcomeWords[outcome].word}${time}`
}
