import {
  type Announcements,
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable'
import { ActionIcon, Button, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './edit-page.module.css'
import { type DraftMistakes, type DraftTile, placeOf, type WallDraft } from './wall-draft.ts'

/** The tiles of a draft in their order, to be chosen and moved: by pointer, by touch, and by keyboard, which is announced. */
export function TileList({
  draft,
  mistakes,
  isReadOnly,
  onSelect,
  onMove,
}: {
  draft: WallDraft
  mistakes: DraftMistakes['tiles']
  isReadOnly: boolean
  onSelect: (id: string) => void
  /** A tile is to stand at another place, from 0. */
  onMove: (id: string, to: number) => void
}): ReactElement {
  const { tiles, selected } = draft
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={{ announcements: announcementsOf(draft), screenReaderInstructions }}
      onDragEnd={({ active, over }) => {
        if (over !== null) onMove(String(active.id), placeOf(draft, String(over.id)))
      }}
    >
      <SortableContext
        items={tiles.map(({ id }) => id)}
        strategy={verticalListSortingStrategy}
        disabled={isReadOnly}
      >
        <ul className={css.tiles} aria-label="Tiles">
          {tiles.map((tile) => (
            <TileItem
              key={tile.id}
              tile={tile}
              isSelected={tile.id === selected}
              isReadOnly={isReadOnly}
              mistake={mistakes.get(tile.id)}
              onSelect={onSelect}
            />
          ))}
        </ul>
      </SortableContext>
    </DndContext>
  )
}

function TileItem({
  tile,
  isSelected,
  isReadOnly,
  mistake,
  onSelect,
}: {
  tile: DraftTile
  isSelected: boolean
  isReadOnly: boolean
  mistake: string | undefined
  onSelect: (id: string) => void
}): ReactElement {
  const { id, pinned, query } = tile
  const {
    attributes,
    listeners,
    setNodeRef,
    setActivatorNodeRef,
    transform,
    transition,
    isDragging,
  } = useSortable({ id })
  const title = nameOf(tile)
  return (
    <li
      ref={setNodeRef}
      className={css.tile}
      data-moving={isDragging || undefined}
      style={
        transform === null
          ? undefined
          : { transform: `translate(${transform.x}px, ${transform.y}px)`, transition }
      }
    >
      {!isReadOnly && (
        <ActionIcon
          ref={setActivatorNodeRef}
          className={css.handle}
          variant="subtle"
          color="gray"
          aria-label={`Move ${title}`}
          {...attributes}
          {...listeners}
        >
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="currentColor">
            <path d="M5 3h2v2H5zM9 3h2v2H9zM5 7h2v2H5zM9 7h2v2H9zM5 11h2v2H5zM9 11h2v2H9z" />
          </svg>
        </ActionIcon>
      )}
      <Button
        className={css.name}
        fullWidth
        justify="flex-start"
        color={isSelected ? 'info' : 'gray'}
        fw={isSelected ? 600 : 400}
        variant={isSelected ? 'light' : 'subtle'}
        aria-current={isSelected}
        title={title === query ? query : `${title}\n${query}`}
        onClick={() => {
          onSelect(id)
        }}
      >
        {mistake !== undefined && <StatusShape tone="bad" />}
        <Text span inherit truncate lh={1.5}>
          {pinned ? `${title} (pinned)` : title}
        </Text>
      </Button>
      {mistake !== undefined && <p className={css.mistake}>{mistake}</p>}
    </li>
  )
}

function nameOf({ title, query }: DraftTile): string {
  return [title.trim(), query.trim(), 'New tile'].find((text) => text !== '') ?? ''
}

const screenReaderInstructions = {
  draggable:
    'Press Space to pick up the tile, the arrow keys to move it, Space again to drop it, and Escape to cancel.',
}

function announcementsOf(draft: WallDraft): Announcements {
  const { tiles } = draft
  const name = (id: UniqueIdentifier): string => {
    const tile = tiles.find((one) => one.id === id)
    return tile === undefined ? 'The tile' : nameOf(tile)
  }
  const place = (id: UniqueIdentifier): string =>
    `place ${placeOf(draft, String(id)) + 1} of ${tiles.length}`
  return {
    // Not before it is over its own place: the keys that move it do nothing until then.
    onDragStart: () => undefined,
    onDragOver: ({ active, over }) => {
      if (over === null) return undefined
      return active.id === over.id
        ? `Picked up ${name(active.id)}, ${place(active.id)}.`
        : `${name(active.id)} is over ${place(over.id)}.`
    },
    onDragEnd: ({ active, over }) =>
      over === null
        ? `${name(active.id)} was not moved.`
        : `Dropped ${name(active.id)} at ${place(over.id)}.`,
    onDragCancel: ({ active }) => `${name(active.id)} is back at ${place(active.id)}.`,
  }
}
