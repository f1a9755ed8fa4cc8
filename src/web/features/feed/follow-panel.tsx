import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react'
import { Navigate, useLocation } from 'react-router'
import { shortText } from '../../../protocol/untrusted-text.ts'
import { applyEdits, type TextEdit } from '../../../search/diagnostic.ts'
import { newestFacts } from '../../data/live/newest-facts.ts'
import {
  type QueryAssistance,
  seenValues,
  usePastQueries,
  useRested,
} from '../../ui/query-editor/query-assistance.ts'
import { searchInHash, useLoadableAddress } from '../../domain/saved-query/past-queries.ts'
import { QueryChips } from '../../ui/query-editor/query-chips.tsx'
import { QueryEditor, type QueryEditorHandle } from '../../ui/query-editor/query-editor.tsx'
import { QueryExplanation } from '../../ui/query-editor/query-explanation.tsx'
import { useTicker } from '../../ui/time.tsx'
import { readQuery } from './feed-query.ts'
import css from './feed.module.css'
import type { Follow } from './use-follow.ts'
import { useServices } from '../../data/core/services.ts'

/** How long typing rests before a notice changes, ms. */
const restMs = 400

interface FollowPanelProps {
  readonly follow: Follow
  /** How often it was opened by hand: each time it takes the focus. */
  readonly opened: number
  readonly onClose: () => void
}

/** Where the query that the feed follows is written; one that is too long for an address stands behind its `#`. */
export function FollowPanel(props: FollowPanelProps): ReactElement {
  const location = useLocation()
  useLoadableAddress()
  const long = searchInHash(location)
  return long === undefined ? (
    <FollowForm {...props} />
  ) : (
    <Navigate replace to={location.pathname + long} />
  )
}

function FollowForm({ follow, opened, onClose }: FollowPanelProps): ReactElement {
  const editor = useRef<QueryEditorHandle>(null)
  const [draft, setDraft] = useState(follow.text)
  // The address may change by itself: back, forward, or a link.
  const [followed, setFollowed] = useState(follow.text)
  if (followed !== follow.text) {
    setFollowed(follow.text)
    setDraft(follow.text)
  }
  const [history, remember] = usePastQueries()
  const assistance = useFeedAssistance(follow.timeZone, history)

  useEffect(() => {
    if (opened > 0) editor.current?.focus()
  }, [opened])

  function run(text: string): void {
    const query = readQuery(text)
    if (query !== undefined) {
      follow.change({ text, zone: query.needsZone ? follow.timeZone : undefined })
      remember(text)
    } else if (text.trim() === '') {
      follow.change(undefined)
    }
  }

  const rested = useRested(draft, restMs)
  const hasErrors = rested.trim() !== '' && readQuery(rested) === undefined
  const notice = draftNotice({ follow, draft: rested, hasErrors })
  const edit = (edits: readonly TextEdit[]): void => {
    editor.current?.apply(edits)
    run(applyEdits(draft, edits))
  }
  return (
    <Stack component="section" gap={6} aria-label="Followed query">
      <div className={css.line}>
        <QueryEditor
          ref={editor}
          text={draft}
          onChange={setDraft}
          onRun={run}
          label="Query to follow"
          assistance={assistance}
          status={notice ?? ''}
        />
        <Button
          className={css.panelButton}
          onClick={() => {
            run(draft)
          }}
        >
          Follow
        </Button>
        <Button className={css.panelButton} variant="default" onClick={onClose}>
          Stop
        </Button>
      </div>
      <Group gap="2px 16px">
        <QueryExplanation
          text={draft}
          timeZone={follow.timeZone}
          assistance={assistance}
          onEdit={edit}
        />
        {notice !== undefined && <Text c="dimmed">{notice}</Text>}
      </Group>
      <QueryChips text={draft} onEdit={edit} />
    </Stack>
  )
}

/** How much of the query in force is shown: enough to recognize it. */
const longest = 81

/**
 * How what is being written stands to what the feed follows, where they are not the same: nothing is
 * followed by surprise, and nothing stops being followed because of a mistake.
 */
export function draftNotice({
  follow: { text, match },
  draft,
  hasErrors,
}: {
  readonly follow: Pick<Follow, 'text' | 'match'>
  readonly draft: string
  /** Of the draft. */
  readonly hasErrors: boolean
}): string | undefined {
  const inForce =
    match === undefined ? 'all builds are shown.' : `the feed follows ${shortText(text, longest)}`
  if (draft === text) return hasErrors ? `Not followed because of errors: ${inForce}` : undefined
  if (hasErrors) return `Not followed while it has errors; until then ${inForce}`
  if (draft.trim() === '') return 'Press Enter to show all builds again.'
  return `Press Enter to follow this query; until then ${inForce}`
}

/** What the editor knows here: values are those of the newest builds of the feed. */
function useFeedAssistance(timeZone: string, history: readonly string[]): QueryAssistance {
  const { feed } = useServices()
  const ticker = useTicker()
  return useMemo(
    () => ({
      timeZone,
      now: ticker.now,
      history,
      values: (fieldName, pairName) => seenValues(newestFacts(feed), fieldName, pairName),
    }),
    [feed, ticker, timeZone, history],
  )
}
