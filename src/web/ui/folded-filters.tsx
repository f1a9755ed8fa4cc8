import { Button } from '@mantine/core'
import { type ReactElement, type ReactNode, useId, useState } from 'react'
import css from './folded-filters.module.css'
import { MenuCaret } from './menu-caret.tsx'

/**
 * Filters in a line; where the window is narrow they are behind a button, so that what they filter
 * is seen first. `active` says on the button how many of them leave something out.
 */
export function FoldedFilters({
  label,
  active = 0,
  className = css.filters,
  children,
}: {
  label: string
  active?: number
  className?: string | undefined
  children: ReactNode
}): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <Button
        variant="default"
        className={css.unfold}
        aria-expanded={isOpen}
        aria-controls={id}
        data-screen-only
        onClick={() => {
          setOpen(!isOpen)
        }}
      >
        {active === 0 ? 'Filters' : `Filters (${active})`}
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
