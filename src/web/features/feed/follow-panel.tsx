import { Button } from '@mantine/core'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { applyEdits } from '../../../search/diagnostic.ts'
import { QueryChips } from '../../ui/query-editor/query-chips.tsx'
import { QueryEditor, type QueryEditorHandle } from '../../ui/query-editor/query-editor.tsx'
import { QueryExplanation } from '../../ui/query-editor/query-explanation.tsx'
import { useRested } from '../../ui/query-editor/use-rested.ts'
import { usePastQueries } from '../../ui/query-editor/use-past-queries.ts'
import css from './follow-panel.module.css'
import { readQuery } from './read-query.ts'
import { draftNotice } from './draft-notice.ts'
import { useFeedAssistance } from './use-feed-assistance.ts'
import type { Follow } from './use-follow.ts'

/** How long typing rests before it is said how things stand, ms. */
const restMs = 400

/** Where the query that the feed follows is written. */
export function FollowPanel({
  follow,
  opened,
  onClose,
}: {
  follow: Follow
  /** How often it was asked for by hand: each time it takes the focus. */
  opened: number
  onClose: () => void
}): ReactElement {
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
  return (
    <section className={css.panel} aria-label="Followed query">
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
          className={css.button}
          size="xs"
          onClick={() => {
            run(draft)
          }}
        >
          Follow
        </Button>
        <Button className={css.button} size="xs" variant="default" onClick={onClose}>
          Stop
        </Button>
      </div>
      <div className={css.words}>
        <QueryExplanation text={draft} timeZone={follow.timeZone} />
        {notice !== undefined && <p className={css.notice}>{notice}</p>}
      </div>
      <QueryChips
        text={draft}
        onEdit={(edits) => {
          editor.current?.apply(edits)
          run(applyEdits(draft, edits))
        }}
      />
    </section>
  )
}
