import { memo, type ReactElement } from 'react'
import { useFeed } from '../../data/use-feed.ts'
import { useNow } from '../../ui/ticker.ts'
import { feedSentence } from './feed-sentence.ts'
import css from './feed-page.module.css'

/** The answer of the page in one sentence, said anew once a second. */
export const FeedHeadline = memo(function FeedHeadline(): ReactElement {
  const now = useNow()
  return <h1 className={css.headline}>{feedSentence(useFeed().getSnapshot(), now)}</h1>
})
