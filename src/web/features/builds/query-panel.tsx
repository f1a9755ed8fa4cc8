import { Box, Button, Group, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core'
import { type ReactElement, type ReactNode, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { mostQueryRuns, type QueryRun } from '../../../protocol/saved-query.ts'
import { applyEdits, type Diagnostic, type TextEdit } from '../../../search/diagnostic.ts'
import { apiEdits } from '../../../search/to-api.ts'
import type { Span } from '../../../search/tree.ts'
import type { SearchState } from '../../data/builds/build-search.ts'
import { mistakesIn } from '../../data/builds/build-list-reader.ts'
import { useServices } from '../../data/core/services.ts'
import { newestFacts } from '../../data/live/newest-facts.ts'
import { useClearQueryRuns, useQueryRuns } from '../../data/queries/saved-queries.ts'
import {
  loadableAddress,
  searchInHash,
  useQueryHistory,
} from '../../domain/saved-query/past-queries.ts'
import { copyText } from '../../ui/copy.tsx'
import {
  type DevicePreferences,
  usePreferences,
  usePreferenceStore,
} from '../../ui/device-preferences.ts'
import { viewerZone } from '../../ui/format.ts'
import { RetryNotice } from '../../ui/problem.tsx'
import {
  momentsIn,
  type QueryAssistance,
  seenValues,
} from '../../ui/query-editor/query-assistance.ts'
import { QueryChips, QueryExamples } from '../../ui/query-editor/query-chips.tsx'
import { QueryEditor, type QueryEditorHandle } from '../../ui/query-editor/query-editor.tsx'
import { QueryExplanation } from '../../ui/query-editor/query-explanation.tsx'
import { RelativeTime, useTicker } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.ts'
import css from './builds.module.css'
import { searchAddress } from './search-address.ts'
import { TimePicker } from './time-picker.tsx'
import type { SearchPage } from './use-search-page.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'
import type { RunnableQuery } from './saved-item.tsx'
import { SavedQueries } from './saved-queries.tsx'

/** Values are looked for in so many builds, at most half of them of one query: what is typed has to be answered at once. */
const mostSeen = 2000

/** Where the query is written, its explanation, and what can be done with it. */
export function QueryPanel({
  page,
  builds,
  state,
  status,
}: {
  page: SearchPage
  builds: readonly Facts[]
  state: SearchState
  /** Said to a screen reader. */
  status: string
}): ReactElement {
  const { draft, setDraft, run, timeZone } = page
  const { searchColumns } = usePreferences()
  const editor = useRef<QueryEditorHandle>(null)
  const assistance = useAssistance(page, builds)
  const remarks = useMemo(
    () => (draft === page.query.text ? remarksOf(state, page) : []),
    [draft, state, page],
  )
  const edit = (edits: readonly TextEdit[]): void => {
    editor.current?.apply(edits)
    run(applyEdits(draft, edits))
  }
  return (
    <Stack component="section" flex="none" gap={4} miw={0} aria-label="Query">
      <div className={css.line}>
        <Box flex={1} miw={0}>
          <QueryEditor
            ref={editor}
            text={draft}
            onChange={setDraft}
            onRun={run}
            label="Search builds"
            assistance={assistance}
            remarks={remarks}
            status={status}
            focusKey
          />
        </Box>
        <div className={css.actions}>
          <TimePicker page={page} />
          <Button
            size="xs"
            onClick={() => {
              run(draft)
            }}
          >
            Run
          </Button>
          <Button size="xs" variant="default" component={Link} to={watchAddress(page)}>
            Watch live
          </Button>
          <SavedMenu
            query={{
              query: page.query.text,
              ...(page.address.zone === undefined ? {} : { zone: page.address.zone }),
            }}
            onRun={({ query, zone }) => {
              run(query, zone)
            }}
          />
          <Button size="xs" variant="default" onClick={() => void share(page, searchColumns)}>
            Share
          </Button>
        </div>
      </div>
      <QueryExplanation text={draft} {...{ timeZone, assistance, remarks }} onEdit={edit} />
      {draft.trim() === '' ? (
        <QueryExamples assistance={assistance} onRun={run} />
      ) : (
        <QueryChips text={draft} onEdit={edit} />
      )}
      <ZoneNote page={page} />
    </Stack>
  )
}

function useAssistance(page: SearchPage, builds: readonly Facts[]): QueryAssistance {
  const { timeZone, serverRelease } = page
  const seen = useSeen(builds)
  const { feed } = useServices()
  const history = useQueryHistory()
  const ticker = useTicker()
  return useMemo(
    () => ({
      timeZone,
      now: ticker.now,
      ...(serverRelease === undefined ? {} : { serverRelease }),
      values: (field, pair) => seenValues([...seen, ...newestFacts(feed)], field, pair),
      history,
    }),
    [timeZone, ticker, serverRelease, seen, feed, history],
  )
}

/** The builds of the query, and of those before it: a value that none has is put right by what others have. */
function useSeen(builds: readonly Facts[]): readonly Facts[] {
  const [seen, setSeen] = useState<{ readonly of?: typeof builds; readonly all: typeof builds }>({
    all: [],
  })
  if (seen.of === builds) return seen.all
  const found = new Map(builds.slice(0, mostSeen / 2).map((facts) => [facts.buildId, facts]))
  for (const facts of seen.all) found.set(facts.buildId, facts)
  const all = [...found.values()].slice(0, mostSeen)
  setSeen({ of: builds, all })
  return all
}

/** What the server found fault with, where it stands in the text as it was typed. */
function remarksOf(state: SearchState, { query, timeZone }: SearchPage): readonly Diagnostic[] {
  if (state.is !== 'refused') return []
  const edits = apiEdits(query, { timeZone })
  return (mistakesIn(state.problem.problem) ?? []).map(({ from, to, message }) => ({
    ...typedSpan({ from, to }, edits, query.text),
    severity: 'error',
    code: 'server.refused',
    message: `Response of the build server: ${message}`,
    fixes: [],
  }))
}

/** The feed with the query that is written, in an address like that of this page. */
function watchAddress({ draft, address }: SearchPage): string {
  const { zone } = address
  const state = { query: draft, zone, columns: undefined, refresh: 'off' } as const
  const search = `?${searchAddress.write(state).toString()}`
  return loadableAddress({ pathname: '/', search, hash: '' })
}

/** The address is the whole of what is shown, but for columns that were chosen on this device. */
async function share(
  { address }: SearchPage,
  chosen: DevicePreferences['searchColumns'],
): Promise<void> {
  const columns = address.columns ?? chosen?.map(({ name }) => name)
  const { origin, pathname, search, hash } = location
  const shown = new URLSearchParams(searchInHash({ hash }) ?? search)
  const whole = searchAddress.write({ ...address, columns }, shown).toString()
  const link = origin + loadableAddress({ pathname, search: `?${whole}`, hash: '' })
  if (await copyText(link)) await toast('Link copied.')
}

/** Whose times stand in the query, where they are written without a zone; and the way to change it. */
function ZoneNote({ page }: { page: SearchPage }): ReactElement | null {
  const { query, timeZone, run } = page
  const mine = viewerZone(usePreferences().zone)
  if (!momentsIn(query).some(({ type }) => type === 'local')) return null
  return (
    <Text fz="xs" c="dimmed">
      {`Times in the query are ${zoneName(timeZone)} time${timeZone === mine ? ', as on this device' : ''}. `}
      {timeZone !== mine && (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => {
            run(query.text, mine)
          }}
        >
          {`Use ${zoneName(mine)} time`}
        </Button>
      )}
    </Text>
  )
}

function zoneName(zone: string): string {
  return zone.replaceAll('_', ' ')
}

/**
 * Where in a text as it was typed lies what is at `span` of the text after `edits`; a place within
 * what an edit wrote is the whole of what it replaced. Never empty where the typed text is not.
 */
export function typedSpan(span: Span, edits: readonly TextEdit[], typed: string): Span {
  const from = typedPlace(span.from, edits, 'from')
  const to = Math.max(typedPlace(span.to, edits, 'to'), from)
  const end = Math.min(to, typed.length)
  return from < end ? { from, to: end } : { from: Math.max(0, end - 1), to: end }
}

function typedPlace(place: number, edits: readonly TextEdit[], side: 'from' | 'to'): number {
  let shift = 0
  for (const edit of [...edits].sort((a, b) => a.from - b.from)) {
    const begins = edit.from + shift
    const ends = begins + edit.insert.length
    if (place < begins || (side === 'to' && place === begins)) break
    if (place < ends || (side === 'to' && place === ends)) return edit[side]
    shift += edit.insert.length - (edit.to - edit.from)
  }
  return place - shift
}

/** Queries under their names, one's own and shared ones, and what one searched for. */
function SavedMenu({
  query,
  onRun,
}: {
  /** What is shown; without a name. */
  query: RunnableQuery
  onRun: (query: RunnableQuery) => void
}): ReactElement {
  const [shown, setShown] = useState<'saved' | 'history'>('saved')
  const Shown = shown === 'saved' ? SavedQueries : QueryHistory
  return (
    <MenuPopover label="Saved" width={400}>
      {(close) => (
        <>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label="Queries"
            value={shown}
            onChange={setShown}
            data={[
              { value: 'saved', label: 'Saved' },
              { value: 'history', label: 'History' },
            ]}
          />
          <Shown
            query={query}
            onRun={(chosen) => {
              close()
              onRun(chosen)
            }}
          />
        </>
      )}
    </MenuPopover>
  )
}

/** What the person searched for, the newest first, and the way to forget it all. */
function QueryHistory({ onRun }: { onRun: (query: RunnableQuery) => void }): ReactElement {
  const store = usePreferenceStore()
  const { pastQueries } = usePreferences()
  const { data: runs = [], error, refetch } = useQueryRuns()
  const clear = useClearQueryRuns()
  const here = onDeviceOnly(pastQueries, runs)
  const clearAll = async (): Promise<void> => {
    try {
      await clear.mutateAsync(undefined)
      store.change({ pastQueries: [] })
    } catch {
      // The notice says why.
    }
  }
  return (
    <Stack gap={4}>
      {clear.error !== null && (
        <RetryNotice
          sentence={`Can't clear your history. ${clear.error.message}`}
          onRetry={() => void clearAll()}
        />
      )}
      {error !== null && (
        <RetryNotice
          sentence={`Your history isn't available. ${error.message}`}
          onRetry={() => void refetch()}
        />
      )}
      <Text fz="xs" c="dimmed">
        {`Only you can see this. The newest ${mostQueryRuns} queries are kept.`}
      </Text>
      {runs.length + here.length === 0 && (
        <Text fz="xs" c="dimmed">
          Queries you run are listed here.
        </Text>
      )}
      <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
        {runs.map((run) => (
          <Past
            key={run.query}
            query={run.query}
            onRun={() => {
              onRun(runnable(run))
            }}
          >
            <RelativeTime at={run.at} />
            {matchesText(run)}
          </Past>
        ))}
        {here.map((query) => (
          <Past
            key={query}
            query={query}
            onRun={() => {
              onRun({ query })
            }}
          >
            On this device
          </Past>
        ))}
      </Stack>
      {runs.length + here.length > 0 && (
        <Group>
          <Button size="compact-sm" variant="subtle" onClick={() => void clearAll()}>
            Clear history
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Those that only this device knows, as the server could not be reached or knew of none then. */
export function onDeviceOnly(
  pastQueries: readonly string[],
  runs: readonly Pick<QueryRun, 'query'>[],
): readonly string[] {
  const known = new Set(runs.map(({ query }) => query.trim()))
  return pastQueries.filter((query) => !known.has(query.trim()))
}

function runnable({ query, zone }: QueryRun): RunnableQuery {
  return zone === null ? { query } : { query, zone }
}

/** ", 312 builds"; with a plus where there may be more. */
export function matchesText({ matches, isComplete }: QueryRun): string {
  if (matches === null) return ''
  return isComplete ? `, ${countOf(matches, 'build')}` : `, ${countText(matches)}+ builds`
}

function Past({
  query,
  onRun,
  children,
}: {
  query: string
  onRun: () => void
  children: ReactNode
}): ReactElement {
  return (
    <li>
      <UnstyledButton w="100%" py={4} onClick={onRun} title={query}>
        <Text truncate fz="xs" ff="monospace">
          {query}
        </Text>
        <Text fz="xs" c="dimmed">
          {children}
        </Text>
      </UnstyledButton>
    </li>
  )
}
