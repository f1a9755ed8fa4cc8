import { Button } from '@mantine/core'
import { type ReactElement, type ReactNode, useId, useState } from 'react'
import css from './folded-filters.module.css'
import { MenuCaret } from './menu-caret.tsx'

/**
 * Filters in a line; where the window is narrow they are behind a button, so that what they filter
 * is seen first. `active` says on the button how many of them leave something out; what is to be mended
 * `startsOpen`. Tools that are used less are folded by it, too: `until` is the width, px, from which there
 * is room for them.
 */
export function FoldedFilters({
  label,
  word = 'Filters',
  until = 700,
  active = 0,
  startsOpen = false,
  className = css.filters,
  children,
}: {
  label: string
  /** What the button says. */
  word?: string
  until?: 700 | 900
  active?: number
  startsOpen?: boolean
  className?: string | undefined
  children: ReactNode
}): ReactElement {
  const [isOpen, setOpen] = useState(startsOpen)
  const id = useId()
  return (
    <>
      <Button
        variant="default"
        className={css.unfold}
        data-until={until}
        aria-expanded={isOpen}
        aria-controls={id}
        data-screen-only
        onClick={() => {
          setOpen(!isOpen)
        }}
      >
        {active === 0 ? word : `${word} (${active})`}
        <MenuCaret />
      </Button>
      <div
        id={id}
        className={className}
        role="group"
        aria-label={label}
        data-folded={!isOpen || undefined}
      >
        {children}
      </div>
    </>
  )
}

/** The next step where filters leave nothing. */
export function ClearFilters({ onClear }: { onClear: () => void }): ReactElement {
  return (
    <Button variant="default" onClick={onClear}>
      Clear filters
    </Button>
  )
}
