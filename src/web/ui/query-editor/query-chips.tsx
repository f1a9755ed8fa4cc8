import { type ReactElement, useMemo } from 'react'
import type { TextEdit } from '../../../search/diagnostic.ts'
import { addTerm, removePart, termsOf } from '../../../search/edit.ts'
import { parse } from '../../../search/parse.ts'
import { AddTermMenu } from './add-term-menu.tsx'
import { chipText } from './chip-text.ts'
import css from './query-chips.module.css'

/** The query whose terms are shown, and where to send edits: `QueryEditorHandle.apply`. */
export interface QueryChipsProps {
  readonly text: string
  readonly onEdit: (edits: readonly TextEdit[]) => void
}

/** The terms of a query, each with a button that removes it, and a menu that adds one. */
export function QueryChips({ text, onEdit }: QueryChipsProps): ReactElement {
  const query = useMemo(() => parse(text), [text])
  const chips = termsOf(query).map((term) => ({ term, words: chipText(query, term) }))
  return (
    <div className={css.bar} role="group" aria-label="Parts of the query">
      {chips.map(({ term, words }, index) => (
        // Parts may be written twice.
        <span key={`${index} ${words}`} className={css.chip} data-kind={term.type}>
          <span className={css.words} title={words}>
            {words}
          </span>
          <button
            type="button"
            className={css.remove}
            aria-label={`Remove ${words}`}
            onClick={() => {
              onEdit(removePart(query, term))
            }}
          >
            ×
          </button>
        </span>
      ))}
      <AddTermMenu
        onAdd={(term) => {
          onEdit(addTerm(query, term))
        }}
      />
    </div>
  )
}
