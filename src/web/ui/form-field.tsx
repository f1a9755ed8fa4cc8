import { type ReactElement, useId } from 'react'
import css from './form-field.module.css'

/** One field with its label, a hint, and what is wrong with it. */
export function FormField({
  name,
  label,
  value,
  mistake,
  hint,
  example,
  listId,
  isWide = false,
  onChange,
}: {
  name: string
  label: string
  value: string
  mistake: string | undefined
  hint?: string
  example: string
  listId?: string
  isWide?: boolean
  onChange: (text: string) => void
}): ReactElement {
  const id = useId()
  const told = mistake ?? hint
  return (
    <div className={css.field} data-wide={isWide}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        className={css.input}
        value={value}
        placeholder={example}
        list={listId}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-invalid={mistake !== undefined}
        aria-describedby={told === undefined ? undefined : `${id}-told`}
        onChange={(event) => {
          onChange(event.currentTarget.value)
        }}
      />
      {told !== undefined && (
        <p id={`${id}-told`} className={mistake === undefined ? css.hint : css.mistake}>
          {told}
        </p>
      )}
    </div>
  )
}
