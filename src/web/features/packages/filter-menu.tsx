import { Button, Popover } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { countText } from '../../../protocol/count.ts'
import css from './scan-filters.module.css'

/** Values of one kind, of which some are chosen; the button says which. */
export function FilterMenu({
  label,
  values,
  chosen,
  onToggle,
}: {
  label: string
  /** With how many policies have them. */
  values: readonly (readonly [value: string, count: number])[]
  chosen: readonly string[]
  onToggle: (value: string) => void
}): ReactElement {
  const [isOpen, setOpen] = useState(false)
  // What is chosen stays there to be let go of, also where no policy has it.
  const gone = chosen.filter((value) => !values.some(([other]) => other === value))
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={240}
      shadow="sm"
      trapFocus
      returnFocus
      portalProps={{ target: '#main' }}
    >
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          className={css.menu}
          data-chosen={chosen.length > 0}
          onClick={() => {
            setOpen(!isOpen)
          }}
        >
          {chosen.length === 0 ? label : `${label}: ${chosen.map(nameOf).join(', ')}`}
          <span className={css.caret} aria-hidden="true" />
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <ul className={css.list}>
          {[...values, ...gone.map((value) => [value, 0] as const)].map(([value, count]) => (
            <li key={value}>
              {/* A native box would jump back, as the address follows a moment later. */}
              <button
                type="button"
                role="checkbox"
                aria-checked={chosen.includes(value)}
                className={css.choice}
                onClick={() => {
                  onToggle(value)
                }}
              >
                <svg viewBox="0 0 16 16" aria-hidden="true" className={css.box}>
                  <path d="M3 8.5 6.5 12 13 4.5" />
                </svg>
                <span>{nameOf(value)}</span>
                <span className={css.count}>{countText(count)}</span>
              </button>
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  )
}

function nameOf(value: string): string {
  return value === '' ? 'none' : value
}
