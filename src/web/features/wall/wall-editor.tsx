import { Button, Fieldset, Group, Menu, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, type ReactElement, useState } from 'react'
import { Link } from 'react-router'
import { countOf } from '../../../protocol/count.ts'
import {
  longestWallTitle,
  mostTiles,
  type OfferedWall,
  WallContent as Content,
} from '../../../protocol/wall.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader, Section } from '../../ui/page.tsx'
import page from '../../ui/page.module.css'
import { RelativeTime } from '../../ui/time.tsx'
import css from './edit-page.module.css'
import { LaterRevision, WallHistory } from './wall-revisions.tsx'
import { DeleteDialog, SaveForm } from './save-form.tsx'
import { type KnownWork, TemplateChoice } from './wall-templates.tsx'
import { TileEditor } from './tile-editor.tsx'
import { TileList } from './tile-list.tsx'
import { type EditedWall, type EditStart, type LatestWall, useWallDraft } from './use-wall-draft.ts'
import {
  contentOf,
  draftOf,
  placeOf,
  withoutTile,
  withTile,
  withTileAt,
  withTilePart,
} from './wall-draft.ts'
import { wallPath } from './wall-link.ts'

/** A wall as a draft: its tiles, the one that is chosen, and how it is saved. */
export function WallEditor({
  start,
  latest,
  walls,
  packages,
}: {
  start: EditStart
  /** What everybody has of this wall now, where it was saved. */
  latest: LatestWall | undefined
  walls: readonly OfferedWall[]
  packages: KnownWork['packages']
}): ReactElement {
  const wall = useWallDraft(start, latest, walls)
  const [isDeleting, setDeleting] = useState(false)
  const { draft, later, isReadOnly } = wall
  return (
    <div className={page.page} onKeyDown={undoKeys(wall)}>
      <PageHeader
        title={<Link to="/walls">Walls</Link>}
        sentence={start.name === '' ? 'New wall' : `Edit ${start.content.title ?? start.name}`}
        actions={
          <Group gap={8}>
            <Button variant="default" disabled={!wall.canUndo} onClick={wall.undo}>
              Undo
            </Button>
            <Button variant="default" disabled={!wall.canRedo} onClick={wall.redo}>
              Redo
            </Button>
            {start.name !== '' && start.source !== 'link' && !latest?.isDeleted && (
              <Button component={Link} variant="default" to={wallPath(start.name)}>
                Open wall
              </Button>
            )}
          </Group>
        }
      >
        <Text c="dimmed">{sourceText(start, latest)}</Text>
      </PageHeader>
      {isReadOnly && (
        <Notice
          action={
            <Button
              variant="default"
              onClick={() => {
                wall.setName(freeName(start.name, walls))
              }}
            >
              Duplicate to edit
            </Button>
          }
        >
          From the configuration file. It can be changed there only.
        </Notice>
      )}
      {start.choice.ignored.length > 0 && <Notice>{start.choice.ignored.join(' ')}</Notice>}
      {wall.isKept && (
        <Notice
          action={
            <Button variant="default" onClick={wall.discard}>
              Discard changes
            </Button>
          }
        >
          What you typed before is still here. It isn't saved yet.
        </Notice>
      )}
      {later !== undefined && wall.conflict === undefined && (
        <LaterRevision
          later={later}
          mine={wall.isChanged ? contentOf(draft) : undefined}
          since={wall.begun.content}
          onTake={() => {
            wall.takeOver(later)
          }}
          onKeep={() => {
            wall.keepOver(later)
          }}
        />
      )}
      <div className={css.columns}>
        <Stack gap={16}>
          <Tiles wall={wall} packages={packages} />
        </Stack>
        <Stack gap={16}>
          <ChosenTile wall={wall} />
        </Stack>
        <Stack gap={16}>
          <Section title="Wall">
            <WallFields wall={wall} />
            {!isReadOnly && (
              <SaveForm
                start={start}
                latest={latest}
                wall={wall}
                onDelete={() => {
                  wall.task.reset()
                  setDeleting(true)
                }}
              >
                <Menu.Item onClick={wall.showUnsaved}>Show without saving</Menu.Item>
                <Menu.Item onClick={wall.saveOnDevice}>Save on this device</Menu.Item>
                {start.source === 'device' && (
                  <Menu.Item onClick={wall.removeFromDevice}>Remove from this device</Menu.Item>
                )}
              </SaveForm>
            )}
          </Section>
          <WallHistory
            name={start.name}
            isSaved={latest !== undefined}
            isBusy={wall.task.isPending}
            onRestore={wall.restore}
          />
        </Stack>
      </div>
      {isDeleting && latest !== undefined && (
        <DeleteDialog
          name={start.name}
          task={wall.task}
          onClose={() => {
            if (!wall.task.isPending) wall.task.reset()
            setDeleting(false)
          }}
          onDelete={() => {
            wall.deleteForEveryone(latest.number)
          }}
        />
      )}
    </div>
  )
}

/** All tiles in their order, and how more come. */
function Tiles({
  wall: { draft, tileMistakes, isReadOnly, change },
  packages,
}: {
  wall: EditedWall
  packages: KnownWork['packages']
}): ReactElement {
  return (
    <Section title={countOf(draft.tiles.length, 'tile')}>
      <TileList
        draft={draft}
        mistakes={tileMistakes}
        isReadOnly={isReadOnly}
        onSelect={(selected) => {
          change({ ...draft, selected })
        }}
        onMove={(id, to) => {
          change(withTileAt(draft, id, to))
        }}
      />
      {draft.tiles.length === 0 && (
        <Text c="dimmed">Without tiles, the wall shows one per project.</Text>
      )}
      {!isReadOnly && (
        <Group gap={8}>
          <Button
            variant="default"
            {...whenFull(draft)}
            onClick={() => {
              change(withTile(draft, { title: '', query: '', pinned: false }))
            }}
          >
            Add a tile
          </Button>
          <TemplateChoice
            packages={packages}
            onChoose={(content) => {
              const from = draftOf(content)
              change({
                ...from,
                next: draft.next + from.next,
                title: draft.title || from.title,
              })
            }}
          />
        </Group>
      )}
    </Section>
  )
}

/** Of a button that adds a tile: why it can't. */
function whenFull({ tiles }: EditedWall['draft']): { disabled: boolean; title?: string } {
  const isFull = tiles.length >= mostTiles
  return { disabled: isFull, ...(isFull && { title: `A wall has at most ${mostTiles} tiles.` }) }
}

const moves = [
  ['Move up', -1],
  ['Move down', 1],
] as const

/** The tile that is chosen in the list. */
function ChosenTile({
  wall: { draft, isReadOnly, change },
}: {
  wall: EditedWall
}): ReactElement | null {
  const tile = draft.tiles[placeOf(draft, draft.selected)]
  if (tile === undefined) return null
  return (
    <Section title="Tile">
      {!isReadOnly && (
        <Group gap={8}>
          {moves.map(([label, by]) => {
            const moved = withTileAt(draft, tile.id, placeOf(draft, tile.id) + by)
            return (
              <Button
                key={label}
                variant="default"
                disabled={moved === draft}
                onClick={() => {
                  change(moved)
                }}
              >
                {label}
              </Button>
            )
          })}
          <Button
            variant="default"
            {...whenFull(draft)}
            onClick={() => {
              const { id: _, ...copy } = tile
              change(withTile(draft, copy))
            }}
          >
            Duplicate
          </Button>
          <Button
            variant="default"
            onClick={() => {
              change(withoutTile(draft, tile.id))
            }}
          >
            Remove
          </Button>
        </Group>
      )}
      <Fieldset variant="unstyled" m={0} miw={0} disabled={isReadOnly}>
        <TileEditor
          key={tile.id}
          tile={tile}
          onChange={(part, field) => {
            if (!isReadOnly) change(withTilePart(draft, tile.id, part), `${field} ${tile.id}`)
          }}
        />
      </Fieldset>
    </Section>
  )
}

/** What is said of the wall as a whole. */
function WallFields({
  wall: { draft, titleMistake, isReadOnly, change },
}: {
  wall: EditedWall
}): ReactElement {
  return (
    <Fieldset variant="unstyled" m={0} miw={0} disabled={isReadOnly}>
      <Stack gap={12}>
        <TextInput
          label="Title"
          maxLength={longestWallTitle}
          value={draft.title}
          error={isReadOnly ? undefined : titleMistake}
          onChange={({ currentTarget: { value } }) => {
            change({ ...draft, title: value }, 'wall title')
          }}
        />
        <NativeSelect
          label="Order"
          value={draft.order}
          data={[
            { value: 'failing-first', label: 'Failing first' },
            { value: 'stable', label: 'Fixed places' },
          ]}
          onChange={({ currentTarget: { value } }) => {
            change({ ...draft, order: Content.shape.order.parse(value) })
          }}
        />
        <NativeSelect
          label="Group"
          value={draft.group}
          data={[
            { value: 'none', label: 'None' },
            { value: 'project', label: 'By project' },
            { value: 'tool', label: 'By build tool' },
          ]}
          onChange={({ currentTarget: { value } }) => {
            change({ ...draft, group: Content.shape.group.parse(value) })
          }}
        />
      </Stack>
    </Fieldset>
  )
}

function undoKeys({ undo, redo }: Pick<EditedWall, 'undo' | 'redo'>) {
  return (event: KeyboardEvent): void => {
    const { target, key, ctrlKey, metaKey, shiftKey } = event
    if (!(ctrlKey || metaKey)) return
    // Fields have an undo of their own.
    if (target instanceof Element && target.closest('input, textarea, [contenteditable="true"]')) {
      return
    }
    const pressed = key.toLowerCase()
    const isRedo = pressed === 'y' || (pressed === 'z' && shiftKey)
    if (pressed !== 'z' && !isRedo) return
    event.preventDefault()
    if (isRedo) redo()
    else undo()
  }
}

function freeName(name: string, walls: readonly OfferedWall[]): string {
  const taken = new Set(walls.map((wall) => wall.name))
  for (let number = 1; ; number++) {
    const copy = `${name.slice(0, 56)}-copy${number === 1 ? '' : number}`
    if (!taken.has(copy)) return copy
  }
}

function sourceText({ source }: EditStart, latest: LatestWall | undefined): ReactElement | string {
  if (latest !== undefined) {
    return (
      <>
        Revision {latest.number}, {latest.isDeleted ? 'deleted' : 'saved'} by {latest.by}{' '}
        <RelativeTime at={latest.at} />.
      </>
    )
  }
  switch (source) {
    case 'new':
      return 'Nothing is shown anywhere before you save it.'
    case 'link':
      return 'From a link. Save it to keep it.'
    case 'device':
      return 'Saved on this device. Save it for everyone to share it.'
    case 'demo':
      return 'Part of the demo data. Save it to make it yours.'
    case 'file':
    case 'saved':
      return ''
  }
}
