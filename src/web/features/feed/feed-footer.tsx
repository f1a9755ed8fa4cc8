import type { ReactElement } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import css from './feed-page.module.css'
import type { FeedList } from './use-feed-list.ts'

/** What the list holds, and what is known to be missing from it. */
export function FeedFooter({ list }: { list: FeedList }): ReactElement {
  const { view, rows } = list
  const kept = view.newest - view.oldest + 1
  return (
    <p className={css.footer}>
      <span>
        {rows.count === kept
          ? countOf(kept, 'build')
          : `${countText(rows.count)} of ${countOf(kept, 'build')}`}
      </span>
      {view.dropped > 0 && (
        <span>{`${countText(view.dropped)} older ones are no longer kept`}</span>
      )}
      {view.malformed > 0 && (
        <span>{`${countOf(view.malformed, 'message')} could not be read and ${view.malformed === 1 ? 'was' : 'were'} skipped`}</span>
      )}
      {view.gaps > 0 && (
        <span>{`builds are missing in ${countOf(view.gaps, 'place')}, after an interruption`}</span>
      )}
    </p>
  )
}
