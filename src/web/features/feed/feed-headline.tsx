import { memo, type ReactElement } from 'react'
import { useFeed } from '../../data/live/use-feed.ts'
import { useNow } from '../../ui/time.tsx'
import { followSentence } from './follow-sentence.ts'
import type { FollowedCounts } from './followed-rows.ts'
import { feedSentence } from './feed-sentence.ts'
import css from './feed-page.module.css'

/** The answer of the page in one sentence, said anew once a second. */
export const FeedHeadline = memo(function FeedHeadline({
  counts,
}: {
  /** Of the query that is followed, if one is. */
  counts: (() => FollowedCounts) | undefined
}): ReactElement {
  const now = useNow()
  const view = useFeed().getSnapshot()
  const sentence = feedSentence(view, now)
  return (
    <h1 className={css.headline}>
      {counts === undefined || view.newest < view.oldest
        ? sentence
        : `${followSentence(counts())} ${sentence}`}
    </h1>
  )
})
