import { type ReactElement, useMemo } from 'react'
import { check } from '../../../search/check.ts'
import { explain } from '../../../search/explain.ts'
import { parse } from '../../../search/parse.ts'
import { StatusShape, type StatusTone } from '../status-mark.tsx'
import { foremost, problemCountText } from './query-summary.ts'
import css from './query-editor.module.css'
import { useRested } from './query-assistance.ts'

/** How long typing rests before what was typed is judged, ms. */
const restMs = 400

const tones = { error: 'bad', warning: 'waiting', info: 'info' } as const satisfies Record<
  string,
  StatusTone
>

/** The explanation of a query, how much is wrong with it, and the first diagnostic. */
export function QueryExplanation({
  text,
  timeZone,
}: {
  readonly text: string
  /** IANA zone in which times without a zone are read. */
  readonly timeZone: string
}): ReactElement {
  const rested = useRested(text, restMs)
  const { words, count, first } = useMemo(() => {
    const query = parse(rested)
    const diagnostics = check(query)
    return {
      words: explain(query, { timeZone }),
      count: problemCountText(diagnostics),
      first: foremost(diagnostics),
    }
  }, [rested, timeZone])
  return (
    <p className={css.explanation}>
      {first !== undefined && (
        <span className={css.problem} data-tone={tones[first.severity]}>
          <StatusShape tone={tones[first.severity]} />
          <span>{`${count}: ${first.message}`}</span>
        </span>
      )}
      <q className={css.meaningText} data-dim={first?.severity === 'error' || undefined}>
        {words}
      </q>
    </p>
  )
}
