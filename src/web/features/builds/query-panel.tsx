import { Button } from '@mantine/core'
import { type ReactElement, useMemo, useRef } from 'react'
import { Link } from 'react-router'
import type { Facts } from '../../../protocol/facts.ts'
import { applyEdits, type Diagnostic } from '../../../search/diagnostic.ts'
import { apiEdits } from '../../../search/to-api.ts'
import { mistakesIn } from '../../data/builds/query-mistakes.ts'
import type { SearchState } from '../../data/builds/build-search.ts'
import { copyText } from '../../ui/copy.tsx'
import { type DevicePreferences, usePreferences } from '../../ui/device-preferences.ts'
import type { QueryAssistance } from '../../ui/query-editor/query-assistance.ts'
import { QueryChips } from '../../ui/query-editor/query-chips.tsx'
import { QueryEditor, type QueryEditorHandle } from '../../ui/query-editor/query-editor.tsx'
import { QueryExplanation } from '../../ui/query-editor/query-explanation.tsx'
import { seenValues } from '../../ui/query-editor/seen-values.ts'
import { useTicker } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.ts'
import css from './query-panel.module.css'
import { writeSearchAddress } from './search-address.ts'
import { SavedMenu } from './saved-menu.tsx'
import { typedSpan } from './typed-span.ts'
import type { SearchPage } from './use-search-page.ts'
import { ZoneNote } from './zone-note.tsx'

/** Values are counted in so many of the builds found: what is typed has to be answered at once. */
const mostCounted = 2000

/** Where the query is written, what it says, and what can be done with it. */
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
  return (
    <section className={css.panel} aria-label="Query">
      <div className={css.line}>
        <div className={css.editor}>
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
        </div>
        <div className={css.actions}>
          <Button
            size="xs"
            onClick={() => {
              run(draft)
            }}
          >
            Run
          </Button>
          <Button
            className={css.link}
            size="xs"
            variant="default"
            component={Link}
            to={watchAddress(page)}
          >
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
      <QueryExplanation text={draft} timeZone={timeZone} />
      <QueryChips
        text={draft}
        onEdit={(edits) => {
          editor.current?.apply(edits)
          run(applyEdits(draft, edits))
        }}
      />
      <ZoneNote page={page} />
    </section>
  )
}

function useAssistance(page: SearchPage, builds: readonly Facts[]): QueryAssistance {
  const { timeZone, serverRelease } = page
  const { pastQueries } = usePreferences()
  const ticker = useTicker()
  return useMemo(
    () => ({
      timeZone,
      now: ticker.now,
      ...(serverRelease === undefined ? {} : { serverRelease }),
      values: (field, pair) => seenValues(builds.slice(0, mostCounted), field, pair),
      history: pastQueries,
    }),
    [timeZone, ticker, serverRelease, builds, pastQueries],
  )
}

/** What the server found fault with, where it stands in the text as it was typed. */
function remarksOf(state: SearchState, { query, timeZone }: SearchPage): readonly Diagnostic[] {
  if (state.is !== 'refused') return []
  const edits = apiEdits(query, { timeZone })
  return (mistakesIn(state.problem.problem) ?? []).map(({ from, to, message }) => ({
    ...typedSpan({ from, to }, edits, query.text),
    severity: 'error',
    code: 'server.refused',
    message: `The build server says: ${message}`,
    fixes: [],
  }))
}

/** The feed with the query that is written, in an address like that of this page. */
function watchAddress({ draft, address }: SearchPage): string {
  const { zone } = address
  return `/?${writeSearchAddress({ query: draft, zone, columns: undefined }).toString()}`
}

/** The address is the whole of what is shown, but for columns that were chosen on this device. */
async function share(
  { address }: SearchPage,
  chosen: DevicePreferences['searchColumns'],
): Promise<void> {
  const columns = address.columns ?? chosen?.map(({ name }) => name)
  const link = new URL(location.href)
  link.search = writeSearchAddress({ ...address, columns }, link.searchParams).toString()
  if (await copyText(link.href)) await toast('The link is copied.')
}
