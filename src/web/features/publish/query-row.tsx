import { Button } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import type { QueryAssistance } from '../../ui/query-editor/query-assistance.ts'
import { QueryEditor } from '../../ui/query-editor/query-editor.tsx'
import { QueryExplanation } from '../../ui/query-editor/query-explanation.tsx'
import { useRested } from '../../ui/query-editor/use-rested.ts'
import { QueryCount } from './query-count.tsx'
import css from './query-list.module.css'

/** How long typing rests before the server is asked how many builds match, ms. */
const restMs = 600

/** One query: where it is written, what it says, and how many builds it matches now. */
export function QueryRow({
  text,
  label,
  assistance,
  onChange,
  onKeep,
  onRemove,
}: {
  text: string
  label: string
  assistance: QueryAssistance
  onChange: (text: string) => void
  onKeep: () => void
  onRemove: () => void
}): ReactElement {
  const { timeZone } = assistance
  const rested = useRested(text, restMs)
  const counted = useMemo(() => countable(rested, timeZone), [rested, timeZone])
  return (
    <li className={css.row} onBlur={onKeep}>
      <div className={css.line}>
        <div className={css.editor}>
          <QueryEditor
            text={text}
            onChange={onChange}
            onRun={onKeep}
            label={label}
            assistance={assistance}
          />
        </div>
        <Button
          size="xs"
          variant="default"
          className={css.button}
          aria-label={`Remove ${label}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
      {text.trim() !== '' && (
        <div className={css.words}>
          {counted !== undefined && <QueryCount query={counted} />}
          <QueryExplanation text={text} timeZone={timeZone} />
        </div>
      )}
    </li>
  )
}

/** The query as the server gets it; undefined for none, and for one with errors. */
function countable(text: string, timeZone: string): string | undefined {
  const query = parse(text)
  const isFaulty = check(query).some(({ severity }) => severity === 'error')
  return query.root === undefined || isFaulty ? undefined : toApiQuery(query, { timeZone })
}
