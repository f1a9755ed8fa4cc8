import type { ReactElement } from 'react'
import { Link } from 'react-router'
import type { ReadBuild, TestRow } from '../../../protocol/test-insight.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { VisuallyHidden } from '../../ui/text.tsx'
import { historyText } from './test-sentence.ts'
import css from './tests.module.css'

/**
 * The newest runs of a test, the newest at the right: color and height say how each ended, and a
 * click opens the build. The keyboard finds the same links in the details of the test.
 */
export function HistoryStrip({
  row,
  builds,
}: {
  row: TestRow
  builds: readonly ReadBuild[]
}): ReactElement {
  const { zone } = usePreferences()
  return (
    <span className={css.history}>
      <span className={css.strip} aria-hidden="true">
        {row.history.toReversed().map(([place, outcome], index) => {
          const build = builds[place]
          if (build === undefined) return null
          return (
            <Link
              key={`${build.buildId} ${index}`}
              to={`/builds/${build.buildId}?tab=tests`}
              tabIndex={-1}
              data-outcome={outcome}
              title={`${outcome}, ${instantText(build.at, zone)}${build.branch === null ? '' : `, ${build.branch}`}`}
            />
          )
        })}
      </span>
      <VisuallyHidden>{historyText(row)}</VisuallyHidden>
    </span>
  )
}
