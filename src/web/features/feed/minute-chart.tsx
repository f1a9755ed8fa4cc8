import { memo, type ReactElement, useMemo, useSyncExternalStore } from 'react'
import { useNavigate } from 'react-router'
import { countOf, countText, shareText } from '../../../protocol/count.ts'
import { outcomeSeries, outcomeValues } from '../../domain/build-table/outcome-series.ts'
import { BarStrip } from '../../ui/charts/bar-strip.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { timeOfDayText } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/time.tsx'
import css from './feed.module.css'
import { useServices } from '../../data/core/services.ts'
import type { MinuteCount } from '../../data/live/feed-state.ts'
import { createValueCounts } from '../../data/live/feed-filter.ts'

/**
 * Builds per minute over the last hour, and which tools made those that are kept. The chart takes no
 * part in the flushes of the feed: it is drawn once a second, with the ticking clock.
 */
export const MinuteChart = memo(function MinuteChart(): ReactElement {
  useNow()
  const navigate = useNavigate()
  const { zone } = usePreferences()
  const view = useServices().feed.getSnapshot()
  const total = totalOf(view.perMinute)
  const all = total.succeeded + total.failed + total.unknown
  return (
    <div className={css.chart}>
      <BarStrip
        bars={view.perMinute.map((counts) => ({
          id: counts.minute,
          label: timeOfDayText(counts.minute, zone),
          values: outcomeValues(counts),
        }))}
        series={outcomeSeries}
        unit="per min"
        summary={`Builds per minute over the last hour: ${countOf(all, 'build')}, ${countText(total.failed)} failed, ${countText(total.unknown)} unknown.`}
        heading="Minute"
        end="now"
        onSelect={(index) => {
          const minute = view.perMinute[index]?.minute
          if (minute !== undefined) void navigate(`/builds?${minuteSearch(minute)}`)
        }}
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

/** The address of the search for the builds that started in a minute. */
function minuteSearch(minute: number): string {
  const [from, to] = [minute, minute + 59_999].map((time) => new Date(time).toISOString())
  return new URLSearchParams({ q: `buildStartTime:[${from} to ${to}]` }).toString()
}

function totalOf(minutes: readonly MinuteCount[]): Omit<MinuteCount, 'minute'> {
  const total = { succeeded: 0, failed: 0, unknown: 0 }
  for (const { succeeded, failed, unknown } of minutes) {
    total.succeeded += succeeded
    total.failed += failed
    total.unknown += unknown
  }
  return total
}

/** Which tools made the builds that are kept, in per cent. */
function ToolShares(): ReactElement {
  const { feed } = useServices()
  const store = useMemo(() => createValueCounts(feed, ({ build }) => [build.toolType]), [feed])
  const counts = useSyncExternalStore(store.subscribe, store.getSnapshot)
  const shares = topShares(counts, 4)
  const all = shares.reduce((sum, { count }) => sum + count, 0)
  return (
    <div className={css.shares}>
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

/** How much of a whole something is. */
export interface Share {
  readonly name: string
  readonly count: number
}

/** The `most` largest of some counts, largest first; where there are more, the rest is "other". */
export function topShares(counts: ReadonlyMap<string, number>, most: number): readonly Share[] {
  const sorted = [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  if (sorted.length <= most) return sorted
  const other = sorted.slice(most - 1).reduce((sum, { count }) => sum + count, 0)
  return [...sorted.slice(0, most - 1), { name: 'other', count: other }]
}
