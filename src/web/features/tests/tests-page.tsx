import { Box, Button, Group, Text, TextInput } from '@mantine/core'
import { memo, type ReactElement, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { countText } from '../../../protocol/count.ts'
import {
  mostTestRows,
  type TestId,
  testLists,
  type TestList,
  type TestSummary,
} from '../../../protocol/test-insight.ts'
import { quarantineFile, testKey } from '../../../protocol/quarantine.ts'
import { foldCase } from '../../../protocol/parsed-text.ts'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import { asProblem } from '../../data/core/attempts.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { useBuildServices, usePageServices, useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { newestFacts } from '../../data/live/newest-facts.ts'
import { lastEnd, type Quarantine, standing, useQuarantine } from '../../data/tests/quarantine.ts'
import type { TestReportView, TestsQuestion } from '../../data/tests/test-report.ts'
import { type TestsAddress, testsAddress } from '../../data/tests/tests-address.ts'
import { useQueryHistory } from '../../domain/saved-query/past-queries.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { download } from '../../ui/download.ts'
import { viewerZone } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page.tsx'
import { RetryNotice } from '../../ui/problem.tsx'
import layout from '../../ui/page.module.css'
import { seenValues, useRested } from '../../ui/query-editor/query-assistance.ts'
import { QueryEditor } from '../../ui/query-editor/query-editor.tsx'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.ts'
import { QuarantineDialog } from './quarantine-dialog.tsx'
import { TestPanel } from './test-panel.tsx'
import { TestFilters } from './test-filters.tsx'
import { projectOf, scopeText } from './test-sentence.ts'
import { type Answered, answeredFor, NoTests, Reading, readingSentence } from './reading.tsx'
import { TestTable } from './test-table.tsx'
import css from './tests.module.css'

/** Tests across builds: which fail, since when, which are flaky, and which are slow. */
export function TestsPage(): ReactElement {
  const [address, change] = useSearchState(testsAddress)
  const mine = viewerZone(usePreferences().zone)
  const timeZone = address.zone ?? mine
  const find = useRested(address.find, 300)
  const query = useMemo(() => parse(address.query), [address.query])
  const isFaulty = useMemo(() => check(query).some(({ severity }) => severity === 'error'), [query])
  const apiText = useMemo(() => toApiQuery(query, { timeZone }), [query, timeZone])
  const { builds, from, narrow } = address
  const question = useMemo(
    () => ({ query: apiText, builds, search: find, narrow, offset: from }),
    [apiText, builds, find, narrow, from],
  )
  const run = useCallback(
    (text: string) => {
      change({ query: text, from: 0, test: undefined, zone: mine })
    },
    [change, mine],
  )
  const editor = <Query key={address.query} {...{ query: address.query, timeZone }} onRun={run} />
  if (isFaulty) {
    return (
      <div className={layout.page}>
        {editor}
        <PageHeader sentence="Fix the query and run it again." />
      </div>
    )
  }
  return (
    <Tests
      {...{ address, question, editor }}
      scope={scopeText(query)}
      project={address.narrow.project ?? projectOf(query)}
      onChange={change}
    />
  )
}

function Query({
  query,
  timeZone,
  onRun,
}: {
  query: string
  timeZone: string
  onRun: (text: string) => void
}): ReactElement {
  const [draft, setDraft] = useState(query)
  const history = useQueryHistory()
  const { feed } = useServices()
  const ticker = useTicker()
  const assistance = useMemo(
    () => ({
      timeZone,
      now: ticker.now,
      values: (field: string, pair?: string) => seenValues(newestFacts(feed), field, pair),
      history,
    }),
    [timeZone, ticker, history, feed],
  )
  return (
    <Group component="section" gap={8} align="flex-start" wrap="nowrap" aria-label="Query">
      <Box flex="1 1 0" miw={0}>
        <QueryEditor
          text={draft}
          onChange={setDraft}
          onRun={onRun}
          label="Builds whose tests are shown"
          placeholder={'All builds, or words such as checkout main'}
          assistance={assistance}
          focusKey
        />
      </Box>
      <Button
        onClick={() => {
          onRun(draft)
        }}
      >
        Run
      </Button>
    </Group>
  )
}

const listNames: Readonly<Record<TestList, string>> = {
  failing: 'Failing',
  newly: 'Newly failing',
  flaky: 'Flaky',
  slowest: 'Slowest',
  skipped: 'Skipped',
  all: 'All',
}

/** What fails, else what is flaky: but a list that is being looked at isn't changed while builds are read. */
function listAtFirst({ state }: TestReportView, summary: TestReportView['summary']): TestList {
  if (summary === undefined || state.is === 'reading' || state.is === 'waiting') return 'failing'
  return (['failing', 'flaky'] as const).find((list) => summary.counts[list] > 0) ?? 'slowest'
}

interface TestsProps {
  readonly address: TestsAddress
  readonly question: TestsQuestion
  readonly editor: ReactElement
  readonly scope: string
  /** The one that is looked at; empty for tests of none, undefined for all. */
  readonly project: string | undefined
  readonly onChange: (change: Partial<TestsAddress>, replace?: boolean) => void
}

function Tests({ address, question, editor, scope, project, onChange }: TestsProps): ReactElement {
  const report = useBuildServices().testReports.open(question)
  const view = useStore(report)
  const last = useLast(view.summary, question)
  const summary = last?.summary
  const listed = useQuarantine()
  const { proxyNow } = useServices().session
  // They end by themselves.
  const ended = useDerivedFromNow(() => lastEnd(listed, proxyNow()))
  const quarantine = useMemo(() => ({ ...listed, tests: standing(listed, ended) }), [listed, ended])
  const [asked, setAsked] = useState<TestId>()
  const { test } = address
  // What is shown may be from before the filter.
  const { search = '', narrow = {} } = last?.question ?? {}
  const isFiltered = search !== '' || Object.keys(narrow).length > 0
  const list = address.list ?? listAtFirst(view, summary)
  // What is typed or chosen is shown at once, and the table as soon as there is time for it.
  const drawn = useDeferredValue(useMemo(() => ({ last, list, address }), [last, list, address]))
  const linkTo = (part: Partial<TestsAddress>): string =>
    testsAddress.write({ ...address, ...part }).toString()
  const close = useCallback(() => {
    onChange({ test: undefined })
  }, [onChange])
  return (
    <div className={css.columns}>
      <div className={css.main}>
        {editor}
        <PageHeader
          sentence={readingSentence(view, summary, scope, isFiltered)}
          tone={summary !== undefined && summary.counts.failing > 0 ? 'bad' : undefined}
          actions={<ExportQuarantine of={quarantine} project={project} />}
        />
        {quarantine.fault !== null && (
          <RetryNotice
            sentence={`${
              quarantine.isKnown
                ? "Can't refresh quarantined tests. They may have changed"
                : "Can't load quarantined tests"
            }: ${asProblem(quarantine.fault).message}`}
            onRetry={quarantine.retry}
          />
        )}
        <Reading {...{ view, report }} builds={address.builds} onMore={onChange} />
        <nav aria-label="Lists of tests">
          <Group gap={8} className={css.lists}>
            {testLists.map((name) => (
              <Button
                key={name}
                component={Link}
                to={`?${linkTo({ list: name, from: 0, test: undefined })}`}
                variant={list === name ? 'light' : 'default'}
                aria-current={list === name ? 'page' : undefined}
                title={listNames[name]}
              >
                {listNames[name]}
                {summary !== undefined && ` (${countText(summary.counts[name])})`}
              </Button>
            ))}
          </Group>
        </nav>
        <Group gap={8} role="search" aria-label="Tests">
          <TextInput
            type="search"
            w={320}
            maw="100%"
            aria-label="Name, class or task contains"
            placeholder="Name, class or task…"
            value={address.find}
            onChange={({ currentTarget }) => {
              onChange({ find: currentTarget.value, from: 0 }, true)
            }}
          />
          <TestFilters
            narrow={address.narrow}
            list={list}
            facets={summary?.facets}
            onNarrow={(narrow) => {
              onChange({ narrow, list, from: 0 })
            }}
          />
        </Group>
        <Rows {...drawn} quarantine={quarantine} onQuarantine={setAsked} />
        {summary?.counts[list] === 0 && view.state.is !== 'failed' && (
          <NoTests view={view} address={address} list={list} />
        )}
        {summary !== undefined && (
          <Pages count={summary.counts[list]} from={address.from} linkTo={linkTo} />
        )}
      </div>
      {test !== undefined && (
        <TestPanel
          key={testKey(test)}
          test={test}
          question={question}
          quarantined={quarantine.tests.get(testKey(test))}
          isQuarantineKnown={quarantine.isKnown}
          onQuarantine={() => {
            setAsked(test)
          }}
          onClose={close}
        />
      )}
      {asked !== undefined && (
        <QuarantineDialog
          test={asked}
          quarantined={quarantine.tests.get(testKey(asked))}
          onClose={() => {
            setAsked(undefined)
          }}
        />
      )}
    </div>
  )
}

/** The tests of a list, drawn anew only when they change. */
const Rows = memo(function Rows({
  last,
  list,
  address,
  quarantine,
  onQuarantine,
}: {
  last: Answered | undefined
  list: TestList
  address: TestsAddress
  quarantine: Quarantine
  onQuarantine: (test: TestId) => void
}): ReactElement | null {
  const linkOf = useCallback(
    (test: TestId) => testsAddress.write({ ...address, test }).toString(),
    [address],
  )
  const summary = last?.summary
  const rows = useMemo(
    () => summary?.lists[list].flatMap((place) => summary.rows[place] ?? []) ?? [],
    [summary, list],
  )
  if (summary === undefined || rows.length === 0) return null
  return (
    <TestTable
      // Another list begins at its beginning.
      key={JSON.stringify([list, last?.question])}
      {...{ rows, summary, linkOf, quarantine, onQuarantine }}
      opened={address.test && testKey(address.test)}
    />
  )
})

/** What is known, or while nothing is what was known of the question before. */
function useLast(summary: TestSummary | undefined, question: TestsQuestion): Answered | undefined {
  const [last, setLast] = useState<Answered>()
  if (summary === undefined || summary === last?.summary) return answeredFor(question, last)
  const known = { summary, question }
  setLast(known)
  return known
}

function Pages({
  count,
  from,
  linkTo,
}: {
  count: number
  from: number
  linkTo: (part: Partial<TestsAddress>) => string
}): ReactElement | null {
  if (count <= mostTestRows && from === 0) return null
  const last = Math.min(count, from + mostTestRows)
  return (
    <Group gap={8}>
      <Text c="dimmed">
        {from < count ? `${countText(from + 1)} to ${countText(last)}` : '0'} of {countText(count)}
      </Text>
      {from > 0 && (
        <Button
          component={Link}
          variant="default"
          to={`?${linkTo({ from: Math.max(0, Math.min(from, count) - mostTestRows) })}`}
        >
          Previous
        </Button>
      )}
      {last < count && (
        <Button component={Link} variant="default" to={`?${linkTo({ from: last })}`}>
          Next
        </Button>
      )}
    </Group>
  )
}

/** The file for the build: of the project that is looked at, or of all. */
function ExportQuarantine({
  of: { tests, isKnown },
  project,
}: {
  of: Quarantine
  project: string | undefined
}): ReactElement {
  const { fetchFile } = usePageServices()
  // A query names it in any case.
  const found = [...tests.values()].find(
    ({ test }) => project === undefined || foldCase(test.project ?? '') === foldCase(project),
  )
  const named = project === undefined ? undefined : (found?.test.project ?? project)
  const isEmpty = isKnown && found === undefined
  const label = named === '' ? ' of no project' : named === undefined ? '' : ` of ${named}`
  const save = async (): Promise<void> => {
    try {
      const { signal } = new AbortController()
      const file = quarantineFile('gradle', named)
      const { content } = await fetchFile(file, undefined, noPieces, signal)
      download(content, 'quarantine.txt')
    } catch (error) {
      await toast(asProblem(error).sentence)
    }
  }
  return (
    <Button
      variant="default"
      maw="100%"
      disabled={isEmpty}
      title={isEmpty ? `No tests${label} are quarantined.` : `Export quarantine list${label}`}
      onClick={() => void save()}
    >
      Export quarantine list{label}
    </Button>
  )
}

const noPieces = (): undefined => undefined
