import type { ReactElement } from 'react'
import { countText } from '../../../protocol/count.ts'
import { markedRuns } from './marked-runs.ts'
import css from './visible.module.css'

/**
 * Text of a stranger as it is: what would not be seen, or would mislead, is a mark of its own. It is
 * cut after `most` characters, and says so.
 */
export function Visible({ text, most = 2_000 }: { text: string; most?: number }): ReactElement {
  return (
    <bdi>
      {markedRuns(text.length > most ? text.slice(0, most) : text).map((run, at) =>
        run.hidden === undefined ? (
          run.text
        ) : (
          <mark key={at} className={css.mark} title={run.hidden}>
            {run.text}
          </mark>
        ),
      )}
      {text.length > most && (
        <span className={css.cut}>… ({countText(text.length)} characters in all)</span>
      )}
    </bdi>
  )
}
