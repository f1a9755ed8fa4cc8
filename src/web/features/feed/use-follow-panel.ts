import { useState } from 'react'
import { useKeys } from '../../ui/keys.tsx'
import type { Follow } from './use-follow.ts'

/** The place where the query is written: there while one is followed, or as long as wanted. */
export interface FollowPanelState {
  readonly isOpen: boolean
  /** How often it was asked for by hand, and not by a link: each time it takes the focus. */
  readonly opened: number
  readonly open: () => void
  /** Ends following, too. */
  readonly close: () => void
}

/** The panel is closed at first, but where the address follows a query. */
export function useFollowPanel({
  text,
  change,
}: Pick<Follow, 'text' | 'change'>): FollowPanelState {
  const [opened, setOpened] = useState(0)

  function open(): void {
    setOpened((before) => before + 1)
  }

  useKeys('Live feed', [{ keys: ['q'], label: 'Follow a query', isCommand: true, run: open }])
  return {
    isOpen: opened > 0 || text !== '',
    opened,
    open,
    close: () => {
      setOpened(0)
      if (text !== '') change(undefined)
    },
  }
}
