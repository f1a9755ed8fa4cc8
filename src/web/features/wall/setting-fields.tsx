import { type ReactElement, useId, useState } from 'react'
import css from './wall-panels.module.css'

/** One of a few. */
export function ChoiceField<Choice extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string
  value: Choice
  choices: Readonly<Record<Choice, string>>
  onChange: (choice: Choice) => void
}): ReactElement {
  const id = useId()
  const names: readonly string[] = Object.keys(choices)
  const isChoice = (name: string): name is Choice => names.includes(name)
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={css.input}
        value={value}
        onChange={({ currentTarget }) => {
          if (isChoice(currentTarget.value)) onChange(currentTarget.value)
        }}
      >
        {names.filter(isChoice).map((name) => (
          <option key={name} value={name}>
            {choices[name]}
          </option>
        ))}
      </select>
    </>
  )
}

/** A number within a range; while something else stands there, nothing changes. */
export function NumberField({
  label,
  value,
  range: [least, most],
  onChange,
}: {
  label: string
  value: number
  range: readonly [number, number]
  onChange: (value: number) => void
}): ReactElement {
  const id = useId()
  const [text, setText] = useState(String(value))
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        className={css.input}
        value={text}
        min={least}
        max={most}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          const number = currentTarget.valueAsNumber
          if (Number.isInteger(number) && number >= least && number <= most) onChange(number)
        }}
      />
    </>
  )
}

/** Names with spaces between them. */
export function NamesField({
  label,
  value,
  example,
  onChange,
}: {
  label: string
  value: readonly string[]
  example: string
  onChange: (names: string[]) => void
}): ReactElement {
  const id = useId()
  const [text, setText] = useState(value.join(' '))
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={css.input}
        value={text}
        placeholder={example}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          onChange(currentTarget.value.split(/[\s,]+/).filter((name) => name !== ''))
        }}
      />
    </>
  )
}

/** On or off. */
export function CheckField({
  label,
  isOn,
  onChange,
}: {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}): ReactElement {
  const id = useId()
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span>
        <input
          id={id}
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.checked)
          }}
        />
      </span>
    </>
  )
}
