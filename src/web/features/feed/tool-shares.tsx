import { type ReactElement, useMemo, useSyncExternalStore } from 'react'
import { useFeed } from '../../data/live/use-feed.ts'
import { createValueCounts } from '../../data/live/value-counts.ts'
import { shareText } from '../../../protocol/count.ts'
import css from './minute-chart.module.css'
import { topShares } from './top-shares.ts'

/** Which tools made the builds that are kept, in per cent. */
export function ToolShares(): ReactElement {
  const feed = useFeed()
  const store = useMemo(() => createValueCounts(feed, ({ build }) => [build.toolType]), [feed])
  const counts = useSyncExternalStore(store.subscribe, store.getSnapshot)
  const shares = topShares(counts, 4)
  const all = shares.reduce((sum, { count }) => sum + count, 0)
  return (
    <div className={css.tools}>
      <p className={css.span}>Tools</p>
      {shares.map(({ name, count }) => (
        <span key={name} className={css.share}>
          <span>{name}</span>
          <span>{shareText(count, all)}</span>
        </span>
      ))}
    </div>
  )
}
