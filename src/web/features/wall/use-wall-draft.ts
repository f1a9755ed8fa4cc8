import { useEffect, useReducer, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import * as z from 'zod/mini'
import {
  type OfferedWall,
  type Wall,
  type WallContent,
  WallContent as Content,
  wallNamePattern,
  type WallRevision,
} from '../../../protocol/wall.ts'
import { useServices } from '../../data/core/services.ts'
import { laterRevision, useWallTask, wallMistakes } from '../../data/wall/walls.ts'
import { usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { useDraft } from '../../ui/drafts.ts'
import { toast } from '../../ui/toast.ts'
import { useWallCommands } from './wall-commands.ts'
import { contentOf, draftMistakes, draftOf, edited, WallDraft } from './wall-draft.ts'
import { editPath } from './wall-link.ts'
import { chooseWall, type WallChoice } from './wall-choice.ts'

const KeptWall = z.object({
  /** What of the address says more than the path. */
  address: z.string(),
  name: z.string(),
  note: z.string(),
  base: z.int(),
  /** What it was at `base`; an earlier release kept nothing of it. */
  begun: z.optional(Content),
  draft: WallDraft,
})
type KeptWall = z.infer<typeof KeptWall>

/** A wall while it is edited, and all that can be done with it. */
export type EditedWall = ReturnType<typeof useWallDraft>

/**
 * The draft of a wall from where it starts: what was typed before is still there, every step can be undone, and what others save
 * meanwhile is kept apart from it. Nothing changes on any screen before it is saved.
 */
export function useWallDraft(
  start: EditStart,
  latest: LatestWall | undefined,
  walls: readonly OfferedWall[],
) {
  const { search, hash } = useLocation()
  const address = `${search}${hash}`
  const navigate = useNavigate()
  const store = usePreferenceStore()
  const { walls: onDevice = [] } = usePreferences()
  const newest = useRef<KeptWall>(undefined)
  const { state } = useServices().session
  const found = useDraft('wall', KeptWall, () => newest.current, {
    outlivesPage: { by: () => state.getSnapshot().session?.person },
  })
  // What was typed for another link is none of this one's.
  const kept = found?.address === address ? found : undefined
  const [begun, setBegun] = useState({
    content: kept?.begun ?? start.content,
    base: kept?.base ?? start.base,
  })
  const [isKept, setKept] = useState(kept !== undefined)
  const [edits, edit] = useReducer(edited, undefined, () => ({
    now: kept?.draft ?? draftOf(start.content),
    past: [],
    future: [],
  }))
  const [name, setName] = useState(kept?.name ?? start.name)
  const [note, setNote] = useState(kept?.note ?? '')
  const [isTried, setTried] = useState(false)
  const task = useWallTask()
  const draft = edits.now
  const commands = useWallCommands({
    name: start.name,
    wall: { ...contentOf(draft), name },
    choice: start.choice,
  })

  const isRenamed = name !== start.name
  const isChanged = note !== '' || isRenamed || !sameContent(contentOf(draft), begun.content)
  useEffect(() => {
    newest.current = isChanged
      ? { address, name, note, base: begun.base, begun: begun.content, draft }
      : undefined
  })
  const forget = (): void => {
    newest.current = undefined
  }

  const mistakes = draftMistakes(draft)
  const refused = wallMistakes(task.error)
  const tileMistakes: ReadonlyMap<string, string> = new Map([
    ...refused.flatMap(({ tile, mistake }): [string, string][] => {
      const id = contentTiles(draft)[tile ?? -1]?.id
      return id === undefined ? [] : [[id, mistake]]
    }),
    ...mistakes.tiles,
  ])
  const nameMistake = wallNamePattern.test(name)
    ? undefined
    : 'Enter a name of up to 64 letters, digits, dots, hyphens or underscores.'

  const change = (to: WallDraft, step?: string): void => {
    if (task.isError) task.reset()
    edit({ is: 'change', to, ...(step === undefined ? {} : { step }) })
  }
  const isReady = (): boolean => {
    setTried(true)
    const [wrong] = mistakes.tiles.keys()
    if (wrong !== undefined) edit({ is: 'change', to: { ...draft, selected: wrong } })
    return wrong === undefined && mistakes.title === undefined && nameMistake === undefined
  }
  const saved = (revision: WallRevision): void => {
    forget()
    const { number } = revision
    // In place of the one of this device, which would hide it here.
    if (onDevice.some((wall) => wall.name === revision.name)) {
      store.change({ walls: onDevice.filter((wall) => wall.name !== revision.name) })
    }
    setBegun({ content: contentOf(draftOf(revision)), base: number })
    setNote('')
    setTried(false)
    setKept(false)
    void toast(`Saved for everyone as revision ${number}.`)
    if (revision.name !== start.name || address !== '') {
      void navigate(editPath(revision.name), { replace: true })
    }
  }
  const takeOver = (theirs: LatestWall | WallRevision): void => {
    const content = Content.parse(theirs)
    change({ ...draftOf(content), next: draft.next + content.tiles.length })
    setBegun({ content: contentOf(draftOf(content)), base: theirs.number })
  }

  return {
    draft,
    name,
    note,
    task,
    isRenamed,
    isChanged,
    isReadOnly: start.source === 'file' && !isRenamed,
    /** What was typed on an earlier visit is in it. */
    isKept: isKept && isChanged,
    /** What it was made from: of which revision, 0 for none that everybody has, and its content. */
    begun: { ...begun, base: isRenamed ? 0 : begun.base },
    canUndo: edits.past.length > 0,
    canRedo: edits.future.length > 0,
    tileMistakes,
    /** It can't be saved with this title. */
    titleMistake: mistakes.title,
    /** How many tiles kept it from being saved. */
    wrongTiles: isTried ? mistakes.tiles.size : 0,
    nameMistake: isTried || name !== '' ? nameMistake : undefined,
    /** Another wall has the name. */
    isTaken: isRenamed && walls.some((wall) => wall.name === name),
    /** What somebody else has saved since. */
    later:
      !task.isPending && !isRenamed && latest !== undefined && latest.number > begun.base
        ? latest
        : undefined,
    /** The same, where that is why it was not saved. */
    conflict: task.variables?.is === 'save' ? laterRevision(task.error) : undefined,

    setName,
    setNote,
    change,
    undo: () => {
      edit({ is: 'undo' })
    },
    redo: () => {
      edit({ is: 'redo' })
    },
    /** Begins again with what was there before anything was typed. */
    discard: () => {
      edit({ is: 'begin', from: draftOf(start.content) })
      setBegun({ content: start.content, base: start.base })
      setName(start.name)
      setNote('')
      setKept(false)
    },
    /** Goes on with what somebody else has saved. */
    takeOver,
    /** Goes on with the draft, as if made from what somebody else has saved. */
    keepOver: ({ number }: LatestWall) => {
      setBegun({ ...begun, base: number })
    },
    /** Saves it for everyone in place of the revision `base`. */
    save: (base: number) => {
      if (!isReady()) return
      const wall = contentOf(draft)
      task.mutate({ is: 'save', name, base, wall, note }, { onSuccess: saved })
    },
    restore: (number: number, base: number) => {
      task.mutate(
        { is: 'restore', name: start.name, base, number },
        {
          onSuccess: (revision) => {
            takeOver(revision)
            void toast(`Restored revision ${number} for everyone.`)
          },
        },
      )
    },
    deleteForEveryone: (base: number) => {
      task.mutate(
        { is: 'delete', name: start.name, base },
        {
          onSuccess: () => {
            forget()
            void navigate('/walls')
          },
        },
      )
    },
    showUnsaved: () => {
      forget()
      commands.show({ ...contentOf(draft), name: start.name })
    },
    saveOnDevice: () => {
      if (!isReady()) return
      forget()
      commands.save({ ...contentOf(draft), name })
    },
    removeFromDevice: () => {
      forget()
      commands.forget()
      void navigate('/walls')
    },
  }
}

/** Those that are saved, in their order. */
function contentTiles({ tiles }: WallDraft): WallDraft['tiles'] {
  return tiles.filter(({ title, query }) => title.trim() !== '' || query.trim() !== '')
}

function sameContent(one: WallContent, other: WallContent): boolean {
  return JSON.stringify(contentOf(draftOf(one))) === JSON.stringify(contentOf(draftOf(other)))
}

/** Where somebody begins to edit. */
export interface EditStart {
  /** The wall's name in the address; empty for a new one. */
  readonly name: string
  readonly content: WallContent
  /** `file`: it can only be copied; `new`: nothing is there yet. */
  readonly source: 'new' | 'link' | 'device' | OfferedWall['source']
  /** The number of the revision that it is, 0 where everybody has none. */
  readonly base: number
  readonly choice: WallChoice
}

/** The newest revision of a wall. */
export interface LatestWall extends WallContent {
  readonly number: number
  readonly by: string
  readonly at: number
  readonly isDeleted: boolean
}

/** Where the wall of an address begins; undefined where nobody knows it. */
export function startOf(
  name: string,
  choice: WallChoice,
  walls: readonly OfferedWall[],
): EditStart | undefined {
  const { wall, source } = choice
  const offered = walls.find((one) => one.name === name)
  if (wall === undefined) return undefined
  const content = withoutName(wall)
  const common = { name, content, choice, base: offered?.number ?? 0 }
  if (source === 'link' || source === 'device') return { ...common, source, base: 0 }
  return { ...common, source: name === '' ? 'new' : (offered?.source ?? 'device') }
}

/** The same of a wall that was deleted: what it was at last. */
export function startOfDeleted(name: string, deleted: WallRevision | undefined): EditStart {
  const { choice } = startNew
  const content = deleted === undefined ? startNew.content : withoutName(deleted)
  return { name, content, choice, source: 'saved', base: deleted?.number ?? 0 }
}

const startNew = {
  content: withoutName({ name: '', tiles: [], order: 'failing-first', group: 'none' }),
  choice: chooseWall('', new URLSearchParams(), { device: [], configured: [], settings: {} }),
}

function withoutName({ title, tiles, order, group }: Wall): WallContent {
  return { ...(title === undefined ? {} : { title }), tiles, order, group }
}

/** What everybody has of a wall at this moment, if it was saved: also that it was deleted. */
export function latestOf(
  name: string,
  walls: readonly OfferedWall[],
  deleted: WallRevision | undefined,
): LatestWall | undefined {
  if (deleted !== undefined) return { ...deleted, isDeleted: true }
  const found = walls.find((wall) => wall.name === name)
  const { number, by, at } = found ?? {}
  if (found === undefined || number === undefined) return undefined
  return { ...withoutName(found), number, by: by ?? '', at: at ?? 0, isDeleted: false }
}
