import { type ReactElement, type RefObject, useLayoutEffect } from 'react'
import { type CaretPlace, caretPlaceOf } from './caret-place.ts'
import css from './query-editor.module.css'

/** A field of plain text that stands in for the editor until that is loaded. */
export function PlainEditor({
  ref,
  text,
  onChange,
  onRun,
  label,
  describedBy,
  place,
  onComposing,
}: {
  readonly ref: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onRun: (text: string) => void
  readonly label: string
  readonly describedBy: string
  /** Takes the place of the caret when the field goes. */
  readonly place: RefObject<CaretPlace | undefined>
  readonly onComposing: (isComposing: boolean) => void
}): ReactElement {
  useLayoutEffect(() => {
    const field = ref.current
    return () => {
      if (field !== null) place.current = caretPlaceOf(field)
    }
  }, [ref, place])
  return (
    <textarea
      ref={ref}
      className={css.plain}
      aria-label={label}
      aria-describedby={describedBy}
      rows={text.split('\n').length}
      value={text}
      autoCapitalize="off"
      autoCorrect="off"
      autoComplete="off"
      spellCheck={false}
      enterKeyHint="search"
      onChange={(event) => {
        onChange(event.target.value)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
        event.preventDefault()
        onRun(text)
      }}
      onCompositionStart={() => {
        onComposing(true)
      }}
      onCompositionEnd={() => {
        onComposing(false)
      }}
    />
  )
}
