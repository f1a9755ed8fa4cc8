import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { countText } from '../../../protocol/count.ts'
import { durationText } from '../../ui/format.ts'
import { useDerivedFromNow } from '../../ui/time.tsx'
import css from './search-progress.module.css'

/** How far the list was read, and the ways to read on or to stop. */
export function SearchProgress({
  view,
  search,
  reached,
}: {
  view: BuildSearchView
  search: BuildSearch
  /** How far the list was read, as a time in words. */
  reached: string | undefined
}): ReactElement | null {
  const { state, found } = view
  const count = countText(found.length)
  const range = reached === undefined ? '' : `, read to ${reached}`
  switch (state.is) {
    case 'idle':
      return null
    case 'reading':
      return (
        <div className={css.progress}>
          <span className={css.busy}>{`${count} so far${range}, reading on…`}</span>
          <Step label="Stop" run={search.cancel} />
        </div>
      )
    case 'waiting':
      return (
        <div className={css.progress}>
          <Waiting {...state} />
          <Step label="Stop" run={search.cancel} />
        </div>
      )
    case 'resting':
      return (
        <div className={css.progress}>
          <span>{`${count} so far${range}, there may be more`}</span>
          <Step label="Load more" run={search.more} />
          <Step label="Load all" run={search.all} />
        </div>
      )
    case 'cancelled':
      return (
        <div className={css.progress}>
          <span>{`Stopped: ${count} so far${range}`}</span>
          <Step label="Go on" run={search.more} />
          <Step label="Load all" run={search.all} />
        </div>
      )
    case 'failed':
    case 'refused':
      return (
        <div className={css.progress}>
          <span>{`${count} so far${range}, not complete`}</span>
        </div>
      )
    case 'done':
      return found.length === 0 ? null : (
        <div className={css.progress}>
          <span>{`${count} of ${count}, complete`}</span>
        </div>
      )
  }
}

function Waiting({ until }: { until: number }): ReactElement {
  const left = useDerivedFromNow((now) => durationText(Math.max(0, until - now)))
  return <span>{`The build server is busy. It is asked again in ${left}.`}</span>
}

function Step({ label, run }: { label: string; run: () => void }): ReactElement {
  return (
    <Button size="compact-xs" variant="subtle" onClick={run}>
      {label}
    </Button>
  )
}
