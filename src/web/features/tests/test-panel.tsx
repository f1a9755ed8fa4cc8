import { Box, Button, CloseButton, Group, Text, Title } from '@mantine/core'
import { type ReactElement, useEffect, useMemo, useRef } from 'react'
import { Link } from 'react-router'
import { countOf } from '../../../protocol/count.ts'
import type { QuarantinedTest } from '../../../protocol/quarantine.ts'
import {
  testFilter,
  type TestId,
  testName,
  type TestOutcome,
  type TestRow,
  type TestRuns,
} from '../../../protocol/test-insight.ts'
import { useBuildServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import type { TestsQuestion } from '../../data/tests/test-report.ts'
import { LineChart } from '../../ui/charts/charts.tsx'
import { breakable } from '../../ui/external-link.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import {
  dayText,
  durationText,
  instantText,
  momentText,
  shortenMiddle,
  timeOfDayText,
  type Zone,
} from '../../ui/format.ts'
import { useKeys } from '../../ui/keys.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts, Section } from '../../ui/page.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { BuildTime } from '../../ui/time.tsx'
import { testMarks, unknownQuarantine } from './test-sentence.ts'
import css from './tests.module.css'

/** One test beside the list: since when it fails and why, how long it takes, and each of its runs. */
export function TestPanel({
  test,
  question,
  quarantined,
  isQuarantineKnown,
  onQuarantine,
  onClose,
}: {
  test: TestId
  question: TestsQuestion
  quarantined: QuarantinedTest | undefined
  isQuarantineKnown: boolean
  onQuarantine: () => void
  onClose: () => void
}): ReactElement {
  const { testReports } = useBuildServices()
  const { builds, query } = question
  const report = testReports.open({ query, builds, search: '', offset: 0, test })
  const { runs, state } = useStore(report)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  useKeys('Tests', [{ keys: ['escape'], label: 'Close the details', run: onClose }])
  return (
    <aside className={css.panel} aria-label={`Test ${testName(test)}`} data-opened>
      <Group
        component="header"
        gap={8}
        align="flex-start"
        justify="space-between"
        wrap="nowrap"
        pt={12}
        pb={8}
        pos="sticky"
        top={0}
        bg="var(--surface-panel)"
        style={{ zIndex: 1 }}
      >
        <Title
          ref={heading}
          order={2}
          size="h1"
          lh={1.4}
          mah="6lh"
          style={{ overflow: 'auto', outline: 'none' }}
          tabIndex={-1}
        >
          {breakable(testName(test))}
        </Title>
        <CloseButton aria-label="Close details" onClick={onClose} />
      </Group>
      <Group gap={8} mb={8}>
        <Button
          variant="default"
          size="compact-sm"
          mih={24}
          disabled={!isQuarantineKnown}
          title={isQuarantineKnown ? undefined : unknownQuarantine}
          onClick={onQuarantine}
        >
          {quarantined === undefined ? 'Quarantine…' : 'Change quarantine…'}
        </Button>
        <CopyButton text={testFilter(test, '.')} what="name" />
      </Group>
      {quarantined !== undefined && <Quarantined {...quarantined} />}
      {runs === null && <Text c="dimmed">None of the builds that were read ran this test.</Text>}
      {runs === undefined &&
        (state.is === 'failed' ? (
          <Notice
            tone="bad"
            action={
              <Button variant="default" size="compact-sm" onClick={report.retry}>
                Try again
              </Button>
            }
          >
            {state.problem.sentence}
          </Notice>
        ) : (
          <Text c="dimmed">Loading the runs of this test…</Text>
        ))}
      {runs !== null && runs !== undefined && <Runs {...runs} />}
    </aside>
  )
}

function Quarantined({ until, by, reason }: QuarantinedTest): ReactElement {
  const { zone } = usePreferences()
  return (
    <Notice tone="waiting">
      Quarantined until {momentText(until, zone)} by {by}: {reason}
    </Notice>
  )
}

function Runs({ row, builds, runs }: TestRuns): ReactElement {
  const { test } = row
  const first = row.since === undefined ? undefined : builds[row.since]
  return (
    <>
      <Group gap="2px 8px">
        {testMarks(row).map((mark) => (
          <StatusMark key={mark.word} {...mark} />
        ))}
      </Group>
      <Facts>
        <Fact name="Class">
          {test.className !== null && <code>{breakable(test.className)}</code>}
        </Fact>
        <Fact name="Task">
          <code>{test.task}</code>
        </Fact>
        <Fact name="Project">{test.project}</Fact>
        <Fact name="Owner">{row.owner}</Fact>
        <Fact name={row.isNew ? 'First failure' : 'Oldest known failure'}>
          {first !== undefined && (
            <Link to={`/builds/${first.buildId}?tab=tests`}>
              <BuildTime at={first.at} />
              {first.commit !== null && ` at ${first.commit.slice(0, 10)}`}
              {first.branch !== null && ` on ${first.branch}`}
            </Link>
          )}
        </Fact>
        <Fact name="Slower">
          {row.slower !== undefined &&
            `${durationText(row.slower.from)} before, ${durationText(row.slower.to)} now (median)`}
        </Fact>
      </Facts>
      {row.message !== undefined && (
        <Section title="Last failure">
          <Box
            component="pre"
            mah="12lh"
            p={8}
            bg="var(--bad-surface)"
            style={{ borderLeft: '2px solid var(--bad)' }}
          >
            {row.message}
          </Box>
        </Section>
      )}
      <Durations runs={runs} builds={builds} row={row} />
      <Section title={countOf(runs.length, 'run')}>
        <Box component="ol" m={0} p={0} style={{ listStyle: 'none' }} className={css.runs}>
          {runs.map((run, index) => {
            const build = builds[run.build]
            if (build === undefined) return null
            return (
              <li key={`${build.buildId} ${index}`}>
                <Group gap={8} align="baseline" wrap="nowrap">
                  <StatusMark {...marks[run.outcome]} />
                  <Link to={`/builds/${build.buildId}?tab=tests`} data-build-id={build.buildId}>
                    {shortenMiddle(build.buildId)}
                  </Link>
                  <Text span inherit ml="auto" className={css.number}>
                    {run.ms === null ? '' : durationText(run.ms)}
                  </Text>
                </Group>
                <div className={css.where}>
                  <BuildTime at={build.at} />
                  {build.branch !== null && ` on ${build.branch}`}
                  {build.commit !== null && ` at ${build.commit.slice(0, 10)}`}
                </div>
              </li>
            )
          })}
        </Box>
      </Section>
    </>
  )
}

const marks: Readonly<Record<TestOutcome, { readonly tone: StatusTone; readonly word: string }>> = {
  passed: { tone: 'good', word: 'Passed' },
  failed: { tone: 'bad', word: 'Failed' },
  flaky: { tone: 'waiting', word: 'Flaky' },
  skipped: { tone: 'none', word: 'Skipped' },
}

/** "Nov 28, 14:52" */
function axisText(at: number, zone: Zone): string {
  return `${dayText(at, zone)}, ${timeOfDayText(at, zone)}`
}

function Durations({
  runs,
  builds,
  row,
}: Pick<TestRuns, 'runs' | 'builds'> & { row: TestRow }): ReactElement | null {
  const { zone } = usePreferences()
  const timed = useMemo(() => runs.filter(({ ms }) => ms !== null).toReversed(), [runs])
  const places = useMemo(
    () =>
      timed.map(({ build }, index) => ({
        id: index,
        label: instantText(builds[build]?.at ?? 0, zone),
        axisLabel: axisText(builds[build]?.at ?? 0, zone),
      })),
    [timed, builds, zone],
  )
  const values = useMemo(() => timed.map(({ ms }) => ms), [timed])
  if (timed.length < 2) return null
  return (
    <Section title="Durations">
      <LineChart
        places={places}
        lines={[{ name: 'Duration', color: 'var(--series-1)', values }]}
        format={durationText}
        maximumFor={(value) => Math.max(10, value * 1.1)}
        summary={`Durations of ${countOf(timed.length, 'run')}, oldest first${row.p95 === null ? '' : `; 95% took at most ${durationText(row.p95)}`}.`}
        heading="Build"
        end={axisText(builds[timed.at(-1)?.build ?? 0]?.at ?? 0, zone)}
      />
    </Section>
  )
}
