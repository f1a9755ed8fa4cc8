import { useCallback, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { usePreferences } from '../../ui/device-preferences.ts'
import { viewerZone } from '../../ui/viewer-zone.ts'
import {
  type PublishAddress,
  type PublishDraft,
  readPublishAddress,
  writePublishAddress,
} from './publish-address.ts'
import { needsZone } from './read-draft.ts'

/** What is being put together, and how it gets into the address. */
export interface PublishDraftState {
  readonly draft: PublishDraft
  /** The zone in which times without a zone are read. */
  readonly timeZone: string
  /** Shows the change at once; the address has it after the next `keep`. */
  readonly change: (draft: PublishDraft) => void
  /** Writes the draft, or this one, into the address. */
  readonly keep: (draft?: PublishDraft) => void
}

/**
 * The draft: what the address says, until something else is written here. The address follows when a
 * field is left, so that typing is no trouble to the browser's history.
 */
export function usePublishDraft(): PublishDraftState {
  const address = useLocation()
  const navigate = useNavigate()
  const text = textOf(address)
  const [draft, setDraft] = useState(() => readPublishAddress(address))
  const [seen, setSeen] = useState(text)
  const [kept, setKept] = useState(text)
  const timeZoneHere = viewerZone(usePreferences().zone)
  if (seen !== text) {
    setSeen(text)
    // Not what was written from here: a link, or a step back.
    if (kept !== text) setDraft(readPublishAddress(address))
  }
  const timeZone = draft.zone ?? timeZoneHere
  const keep = useCallback(
    (next: PublishDraft = draft) => {
      const zone = needsZone(next.queries) ? timeZone : undefined
      const to = writePublishAddress({ ...next, zone })
      setDraft(next)
      if (textOf(to) === text) return
      setKept(textOf(to))
      void navigate(to, { replace: true })
    },
    [draft, timeZone, text, navigate],
  )
  return { draft, timeZone, change: setDraft, keep }
}

/** One text for all spellings of an address, as a browser may write it otherwise than it was given. */
function textOf({ search, hash }: PublishAddress): string {
  return `${new URLSearchParams(search).toString()}${hash}`
}
