import { memo, type ReactElement } from 'react'
import type { MinuteCount } from '../../data/live/feed-snapshot.ts'
import { useFeed } from '../../data/live/use-feed.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { timeOfDayText } from '../../ui/format.ts'
import { OutcomeBars } from '../../domain/build-table/outcome-bars.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/time.tsx'
import css from './minute-chart.module.css'
import { ToolShares } from './tool-shares.tsx'

/**
 * Builds per minute over the last hour, and which tools made those that are kept. The chart takes no
 * part in the flushes of the feed: it is drawn once a second, with the ticking clock.
 */
export const MinuteChart = memo(function MinuteChart(): ReactElement {
  useNow()
  const { zone } = usePreferences()
  const view = useFeed().getSnapshot()
  const total = totalOf(view.perMinute)
  const all = total.succeeded + total.failed + total.unknown
  return (
    <div className={css.chart}>
      <OutcomeBars
        bars={view.perMinute.map(({ minute, ...counts }) => ({
          at: minute,
          label: timeOfDayText(minute, zone),
          ...counts,
        }))}
        unit="per min"
        summary={`Builds per minute over the last hour: ${countOf(all, 'build')}, ${countText(total.failed)} failed, ${countText(total.unknown)} unknown.`}
      />
      <div className={css.totals}>
        <p className={css.span}>Last hour</p>
        <StatusMark
          tone={total.failed === 0 ? 'none' : 'bad'}
          word={`${countText(total.failed)} failed`}
        />
        <StatusMark tone="good" word={`${countText(total.succeeded)} succeeded`} />
        <StatusMark tone="none" word={`${countText(total.unknown)} unknown`} />
      </div>
      <ToolShares />
    </div>
  )
})

function totalOf(minutes: readonly MinuteCount[]): Omit<MinuteCount, 'minute'> {
  const total = { succeeded: 0, failed: 0, unknown: 0 }
  for (const { succeeded, failed, unknown } of minutes) {
    total.succeeded += succeeded
    total.failed += failed
    total.unknown += unknown
  }
  return total
}
