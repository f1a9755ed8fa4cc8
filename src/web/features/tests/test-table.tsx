import { Button, Group } from '@mantine/core'
import { memo, type ReactElement, startTransition, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { countText } from '../../../protocol/count.ts'
import { type QuarantinedTest, testKey } from '../../../protocol/quarantine.ts'
import {
  type ReadBuild,
  type TestId,
  testName,
  type TestRow,
  type TestSummary,
} from '../../../protocol/test-insight.ts'
import type { Quarantine } from '../../data/tests/quarantine.ts'
import { breakable } from '../../ui/external-link.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, durationText, instantText } from '../../ui/format.ts'
import { useListKeys } from '../../ui/keys.tsx'
import { watchScreen } from '../../ui/near-screen.tsx'
import { usePrinting } from '../../ui/printing.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { BuildTime } from '../../ui/time.tsx'
import { historyText, testMarks, unknownQuarantine } from './test-sentence.ts'
import css from './tests.module.css'
import { VisuallyHidden } from '../../ui/text.tsx'

/** So many rows are drawn at once, and so many more as one scrolls towards their end. */
const fewRows = 30

/** So far before the end of those that are drawn the next ones come, px. */
const aScreen = 900

/** Tests, one to a row, in the order of their list. */
export const TestTable = memo(function TestTable({
  rows,
  summary,
  opened,
  linkOf,
  quarantine,
  onQuarantine,
}: {
  rows: readonly TestRow[]
  summary: TestSummary
  /** The key of the test whose details are open. */
  opened: string | undefined
  /** The query of the address with a test open. */
  linkOf: (test: TestId) => string
  quarantine: Quarantine
  onQuarantine: (test: TestId) => void
}): ReactElement {
  const body = useRef<HTMLTableSectionElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const [drawn, setDrawn] = useState(fewRows)
  const isPrinting = usePrinting()
  useListKeys(
    'Tests',
    'test',
    () => body.current?.querySelectorAll<HTMLElement>('a[data-test]') ?? [],
  )
  useEffect(() => {
    if (end.current === null || drawn >= rows.length) return undefined
    return watchScreen(end.current, aScreen, (isNear) => {
      // Never before what is typed or clicked meanwhile.
      if (isNear)
        startTransition(() => {
          setDrawn(drawn + fewRows)
        })
    })
  }, [drawn, rows.length])
  return (
    <div>
      <table className={css.table} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">Test</th>
            <th scope="col" className={css.wide}>
              Status
            </th>
            <th scope="col" className={css.wide}>
              History
            </th>
            <th scope="col" className={`${css.number} ${css.narrow}`}>
              95th percentile
            </th>
            <th scope="col" className={`${css.number} ${css.narrow}`}>
              Failed
            </th>
            <th scope="col" style={{ width: '10%' }}>
              Owner
            </th>
            <th scope="col" style={{ width: 112 }}>
              Quarantine
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.slice(0, isPrinting ? rows.length : drawn).map((row) => {
            const key = testKey(row.test)
            return (
              <Row
                key={key}
                row={row}
                builds={summary.builds}
                isOpened={key === opened}
                to={linkOf(row.test)}
                quarantined={quarantine.tests.get(key)}
                isKnown={quarantine.isKnown}
                onQuarantine={onQuarantine}
              />
            )
          })}
        </tbody>
      </table>
      <div ref={end} aria-hidden="true" />
    </div>
  )
})

const Row = memo(function Row({
  row,
  builds,
  isOpened,
  to,
  quarantined,
  isKnown,
  onQuarantine,
}: {
  row: TestRow
  builds: TestSummary['builds']
  isOpened: boolean
  /** The query of the address with the test open. */
  to: string
  quarantined: QuarantinedTest | undefined
  /** Whether it is known which tests are quarantined. */
  isKnown: boolean
  onQuarantine: (test: TestId) => void
}): ReactElement {
  return (
    <tr data-open={isOpened || undefined}>
      <td>
        <Link
          className={css.name}
          data-test={row.test.name}
          to={{ search: to }}
          aria-current={isOpened ? 'true' : undefined}
        >
          {breakable(testName(row.test))}
        </Link>
        <div className={css.where}>
          {[row.test.project, row.test.task].filter(Boolean).join(' ')}
        </div>
      </td>
      <td className={css.status}>
        <Group gap="2px 8px">
          {testMarks(row).map((mark) => (
            <StatusMark key={mark.word} {...mark} />
          ))}
        </Group>
        <Since row={row} builds={builds} />
      </td>
      <td>
        <HistoryStrip row={row} builds={builds} />
      </td>
      <td className={css.number} data-label="95th percentile">
        {row.p95 === null ? '–' : durationText(row.p95)}
        {row.slower !== undefined && (
          <div className={css.where}>
            {`${durationText(row.slower.from)} → ${durationText(row.slower.to)}`}
          </div>
        )}
      </td>
      <td className={css.number} data-label="Failed">
        {countText(row.failed)} of {countText(row.runs)}
      </td>
      <td data-label="Owner" data-empty={row.owner === undefined || undefined}>
        {row.owner ?? '–'}
      </td>
      <td>
        <QuarantineCell {...{ row, quarantined, isKnown, onQuarantine }} />
      </td>
    </tr>
  )
})

function Since({
  row,
  builds,
}: {
  row: TestRow
  builds: TestSummary['builds']
}): ReactElement | null {
  const build = row.since === undefined ? undefined : builds[row.since]
  if (build === undefined) return null
  return (
    <div className={css.where}>
      {row.isNew ? 'since ' : 'at least since '}
      <Link to={`/builds/${build.buildId}?tab=tests`}>
        <BuildTime at={build.at} />
      </Link>
      {/* Its runs on other branches stand in the history as well. */}
      {build.branch !== null && ` on ${build.branch}`}
    </div>
  )
}

function QuarantineCell({
  row,
  quarantined,
  isKnown,
  onQuarantine,
}: {
  row: TestRow
  quarantined: QuarantinedTest | undefined
  /** Whether it is known which tests are quarantined. */
  isKnown: boolean
  onQuarantine: (test: TestId) => void
}): ReactElement | null {
  const { zone } = usePreferences()
  const isWorth = row.state === 'failing' || row.flaky > 0
  if (quarantined === undefined && !isWorth) return null
  const until = quarantined && `Until ${dayText(quarantined.until, zone, 'date')}`
  return (
    <>
      <span data-paper-only>{until}</span>
      <Button
        variant={quarantined === undefined ? 'default' : 'light'}
        size="compact-xs"
        mih={24}
        aria-label={
          quarantined === undefined
            ? `Quarantine ${testName(row.test)}…`
            : `Quarantined until ${dayText(quarantined.until, zone, 'date')}: ${testName(row.test)}`
        }
        title={isKnown ? quarantined?.reason : unknownQuarantine}
        disabled={!isKnown}
        onClick={() => {
          onQuarantine(row.test)
        }}
      >
        {until ?? 'Quarantine…'}
      </Button>
    </>
  )
}

/**
 * The newest runs of a test, the newest at the right: color and height say how each ended, and a
 * click opens the build. The keyboard finds the same links in the details of the test.
 */
function HistoryStrip({
  row,
  builds,
}: {
  row: TestRow
  builds: readonly ReadBuild[]
}): ReactElement {
  const { zone } = usePreferences()
  return (
    <span style={{ position: 'relative' }}>
      <span className={css.strip} aria-hidden="true">
        {row.history.toReversed().map(([place, outcome], index) => {
          const build = builds[place]
          if (build === undefined) return null
          return (
            <Link
              key={`${build.buildId} ${index}`}
              to={`/builds/${build.buildId}?tab=tests`}
              tabIndex={-1}
              data-outcome={outcome}
              title={`${outcome}, ${instantText(build.at, zone)}${build.branch === null ? '' : `, ${build.branch}`}`}
            />
          )
        })}
      </span>
      <VisuallyHidden>{historyText(row)}</VisuallyHidden>
    </span>
  )
}
