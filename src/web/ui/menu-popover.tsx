import { Button, Popover } from '@mantine/core'
import { type ReactElement, type ReactNode, useState } from 'react'
import { MenuCaret } from './menu-caret.tsx'

/** A button that opens what belongs to it; what is inside may close it. */
export function MenuPopover({
  label,
  width = 280,
  isDisabled = false,
  children,
}: {
  label: string
  width?: number
  isDisabled?: boolean
  children: (close: () => void) => ReactNode
}): ReactElement {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={width}
      shadow="sm"
      trapFocus
      returnFocus
      // Within the page for those who go from landmark to landmark.
      portalProps={{ target: '#main' }}
    >
      <Popover.Target>
        <Button
          fw={500}
          size="xs"
          variant="default"
          disabled={isDisabled}
          onClick={() => {
            setOpen(!isOpen)
          }}
        >
          {label}
          <MenuCaret />
        </Button>
      </Popover.Target>
      <Popover.Dropdown
        aria-label={label}
        p={8}
        maw="calc(100vw - 16px)"
        mah="min(540px, 70vh)"
        // A long word inside is cut there, and pushes nothing out of sight.
        style={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 4, overflow: 'auto' }}
      >
        {children(() => {
          setOpen(false)
        })}
      </Popover.Dropdown>
    </Popover>
  )
}
