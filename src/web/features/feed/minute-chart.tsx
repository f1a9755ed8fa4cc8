import { memo, type ReactElement, type RefObject, useSyncExternalStore } from 'react'
import { countText, shareText } from '../../../protocol/count.ts'
import {
  outcomeSeries,
  outcomesText,
  outcomeValues,
} from '../../domain/build-table/outcome-series.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { timeOfDayText } from '../../ui/format.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/time.tsx'
import css from './feed.module.css'
import { useServices } from '../../data/core/services.ts'
import type { FeedView, MinuteCount } from '../../data/live/feed-state.ts'
import type { ShownCounts } from './shown-counts.ts'

/** After the page, which has more to say in its first paint. */
const BarStrip = lazyPart(async () => (await import('../../ui/charts/bar-strip.tsx')).BarStrip, {
  waiting: () => <div className={css.strip} />,
})

/**
 * Builds per minute over the last hour, and which tools made those that are kept: of the builds that
 * are shown. The chart takes no part in the flushes of the feed: it is drawn once a second, with the
 * ticking clock.
 */
export const MinuteChart = memo(function MinuteChart({
  shown,
  isNarrowed,
  onSelect,
}: {
  shown: ShownCounts
  isNarrowed: boolean
  /** Shows the builds of a minute, epoch ms. */
  onSelect: RefObject<(minute: number) => void>
}): ReactElement {
  const now = useNow()
  const { zone } = usePreferences()
  const view = useServices().feed.getSnapshot()
  const minutes = shown.minutes(now + view.clockDifference)
  const total = totalOf(minutes)
  const since = countedSince(view, minutes[0]?.minute ?? 0, isNarrowed)
  const period = since === undefined ? 'Last hour' : `Since ${timeOfDayText(since, zone)}`
  return (
    <div className={css.chart}>
      <BarStrip
        bars={minutes.map((counts) => ({
          id: counts.minute,
          label: timeOfDayText(counts.minute, zone),
          values: outcomeValues(counts),
        }))}
        series={outcomeSeries}
        unit="per min"
        summary={
          !isCounted(view)
            ? 'Builds per minute: not counted yet.'
            : `Builds per minute, ${period.toLowerCase()}: ${outcomesText(total)}.`
        }
        heading="Minute"
        end="now"
        onSelect={(index) => {
          const minute = minutes[index]?.minute
          if (minute !== undefined) onSelect.current(minute)
        }}
      />
      <div className={css.totals}>
        <p className={css.span}>{period}</p>
        {isCounted(view) ? (
          <>
            <StatusMark
              tone={total.failed === 0 ? 'none' : 'bad'}
              word={`${countText(total.failed)} failed`}
            />
            <StatusMark tone="good" word={`${countText(total.succeeded)} succeeded`} />
            <StatusMark tone="none" word={`${countText(total.unknown)} unknown`} />
          </>
        ) : (
          <StatusMark tone="waiting" word="Not counted yet" />
        )}
      </div>
      <ToolShares shown={shown} />
    </div>
  )
})

/** Whether zeros are a count: builds came, or the stream is known to have none. */
function isCounted({ newest, oldest, connection: { state } }: FeedView): boolean {
  return newest >= oldest || state === 'live' || state === 'complete'
}

/** Where builds of the hour are missing, or were dropped that are shown: since when all are counted. */
export function countedSince(
  { isPartial, dropped, oldest, row }: FeedView,
  from: number,
  isNarrowed: boolean,
): number | undefined {
  const isCut = isPartial || (isNarrowed && dropped > 0)
  const at = isCut ? row(oldest)?.build.timestamp : undefined
  return at !== undefined && at > from ? at : undefined
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

/** Which tools made the builds that are shown, in percent. */
function ToolShares({ shown }: { shown: ShownCounts }): ReactElement {
  const counts = useSyncExternalStore(useServices().feed.subscribe, shown.tools)
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
