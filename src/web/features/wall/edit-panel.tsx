import { Box, Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import { Wall, type WallTile } from '../../../protocol/wall.ts'
import { useServices } from '../../data/core/services.ts'
import { mostTiles } from '../../domain/wall/tiles-in-link.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { viewerZone } from '../../ui/format.ts'
import {
  type QueryAssistance,
  seenValues,
  usePastQueries,
  useRested,
} from '../../ui/query-editor/query-assistance.ts'
import { QueryEditor } from '../../ui/query-editor/query-editor.tsx'
import { QueryExplanation } from '../../ui/query-editor/query-explanation.tsx'
import { useTicker } from '../../ui/time.tsx'
import { useWallCommands } from './wall-commands.ts'
import type { PanelProps } from './wall-commands.ts'
import { WallTile as TilePreview } from './wall-tile.tsx'
import { useWallTiles } from './wall-tiles.ts'

/** The tiles of a wall as a draft: nothing changes on the screen before "Show". */
export function EditPanel({ name, wall, choice, placed, onClose }: PanelProps): ReactElement {
  const { walls = [] } = usePreferences()
  const commands = useWallCommands({ name, wall, choice })
  const [title, setTitle] = useState(wall.title ?? '')
  const [saveAs, setSaveAs] = useState(name)
  const [order, setOrder] = useState(wall.order)
  const [group, setGroup] = useState(wall.group)
  const [tiles, setTiles] = useState<readonly WallTile[]>(() =>
    wall.tiles.length > 0
      ? wall.tiles
      : placed.map((tile) => ({ title: tile.title, query: tile.query, pinned: tile.pinned })),
  )
  const [selected, setSelected] = useState(0)
  const tile = tiles[selected]
  const nameMistake = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(saveAs)
    ? undefined
    : 'To save the wall, enter a name of letters, digits, dots, hyphens or underscores.'

  function draft(wallName: string): Wall {
    return {
      ...wall,
      name: wallName,
      title: title.trim() === '' ? undefined : title.trim(),
      tiles: tiles.filter(({ query }) => query.trim() !== ''),
      order,
      group,
    }
  }

  function move(by: number): void {
    const to = selected + by
    if (tile === undefined || to < 0 || to >= tiles.length) return
    setTiles(tiles.toSpliced(selected, 1).toSpliced(to, 0, tile))
    setSelected(to)
  }

  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Title"
          flex={1}
          miw={180}
          value={title}
          onChange={({ currentTarget }) => {
            setTitle(currentTarget.value)
          }}
        />
        <NativeSelect
          label="Order"
          value={order}
          data={[
            { value: 'failing-first', label: 'Failing first' },
            { value: 'stable', label: 'Fixed places' },
          ]}
          onChange={({ currentTarget }) => {
            setOrder(Wall.shape.order.parse(currentTarget.value))
          }}
        />
        <NativeSelect
          label="Group"
          value={group}
          data={[
            { value: 'none', label: 'None' },
            { value: 'project', label: 'By project' },
            { value: 'tool', label: 'By build tool' },
          ]}
          onChange={({ currentTarget }) => {
            setGroup(Wall.shape.group.parse(currentTarget.value))
          }}
        />
      </Group>
      <Group gap="sm">
        <Button
          variant="default"
          disabled={tiles.length >= mostTiles}
          onClick={() => {
            setTiles([...tiles, { title: 'New tile', query: '', pinned: false }])
            setSelected(tiles.length)
          }}
        >
          Add a tile
        </Button>
        <Button
          variant="default"
          disabled={selected <= 0}
          onClick={() => {
            move(-1)
          }}
        >
          Move up
        </Button>
        <Button
          variant="default"
          disabled={selected >= tiles.length - 1}
          onClick={() => {
            move(1)
          }}
        >
          Move down
        </Button>
        <Button
          variant="default"
          disabled={tile === undefined}
          onClick={() => {
            setTiles(tiles.toSpliced(selected, 1))
            setSelected(Math.max(0, selected - 1))
          }}
        >
          Remove
        </Button>
      </Group>
      <Group align="flex-start" gap="lg">
        <Box
          component="ul"
          flex="1 1 200px"
          m={0}
          p={0}
          mah="55vh"
          style={{ overflow: 'auto', listStyle: 'none' }}
          aria-label="Tiles"
        >
          {tiles.map((each, index) => (
            // Tiles have no identity but their place: two may have the same query and title.
            <li key={index}>
              <Button
                fullWidth
                justify="flex-start"
                color={index === selected ? 'info' : 'gray'}
                fw={index === selected ? 600 : 400}
                variant={index === selected ? 'light' : 'subtle'}
                aria-current={index === selected}
                onClick={() => {
                  setSelected(index)
                }}
              >
                {each.pinned ? `${each.title} (pinned)` : each.title}
              </Button>
            </li>
          ))}
        </Box>
        <Box flex="3 1 380px" miw={0}>
          {tile === undefined ? (
            <Text c="dimmed">No tiles: the wall shows one per project.</Text>
          ) : (
            <TileEditor
              key={selected}
              tile={tile}
              onChange={(next) => {
                setTiles(tiles.with(selected, next))
              }}
            />
          )}
        </Box>
      </Group>
      <Group align="flex-start" gap="sm">
        <Button
          mt={label}
          onClick={() => {
            commands.show(draft(name))
            onClose()
          }}
        >
          Show
        </Button>
        <TextInput
          label="Name"
          value={saveAs}
          error={saveAs === '' ? undefined : nameMistake}
          onChange={({ currentTarget }) => {
            setSaveAs(currentTarget.value)
          }}
        />
        <Button
          mt={label}
          variant="default"
          disabled={nameMistake !== undefined}
          title={nameMistake}
          onClick={() => {
            commands.save(draft(saveAs))
            onClose()
          }}
        >
          Save on this device
        </Button>
        {walls.some((saved) => saved.name === name) && (
          <Button
            mt={label}
            variant="default"
            onClick={() => {
              commands.forget()
              onClose()
            }}
          >
            Remove from this device
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** The height of a label: buttons stand beside the fields, not beside their labels. */
const label = 'calc(1.4 * var(--text-body) + var(--space-1))'

/** How long typing rests before the tile is searched, ms: each text is a search of its own. */
const restMs = 800

/** One tile of a draft, and how it would look. */
function TileEditor({
  tile,
  onChange,
}: {
  tile: WallTile
  onChange: (tile: WallTile) => void
}): ReactElement {
  const { zone } = usePreferences()
  const timeZone = viewerZone(zone)
  const assistance = useWallAssistance(timeZone)
  const rested = useRested(tile.query, restMs)
  return (
    <Stack gap="md" miw={0}>
      <TextInput
        label="Tile title"
        value={tile.title}
        onChange={({ currentTarget }) => {
          onChange({ ...tile, title: currentTarget.value })
        }}
      />
      <TextInput
        label="Branch"
        description="Its builds decide the color. Leave empty for the default branch, or enter * for all."
        placeholder="Default branch"
        value={tile.branch ?? ''}
        onChange={({ currentTarget: { value } }) => {
          onChange({ ...tile, branch: value.trim() === '' ? undefined : value.trim() })
        }}
      />
      <Checkbox
        label="Pin to the front"
        checked={tile.pinned}
        onChange={({ currentTarget }) => {
          onChange({ ...tile, pinned: currentTarget.checked })
        }}
      />
      <QueryEditor
        text={tile.query}
        onChange={(query) => {
          onChange({ ...tile, query })
        }}
        onRun={(query) => {
          onChange({ ...tile, query })
        }}
        label="Tile query"
        assistance={assistance}
      />
      <QueryExplanation text={tile.query} timeZone={timeZone} />
      {/* Its place is kept: what is below must not move under a pointer. */}
      <Box
        display="grid"
        w="min(100%, 360px)"
        h="9.8em"
        fz={16}
        role="group"
        aria-label="Tile preview"
      >
        {rested.trim() !== '' && <Preview tile={{ ...tile, query: rested }} timeZone={timeZone} />}
      </Box>
    </Stack>
  )
}

function Preview({ tile, timeZone }: { tile: WallTile; timeZone: string }): ReactElement {
  const { tiles, placed } = useWallTiles([{ tiles: [tile] }], 0, timeZone)
  return (
    <>
      {placed.flat().map(({ key, title, query, mistake }) => (
        <TilePreview
          key={key}
          tiles={tiles}
          tileKey={key}
          title={title}
          query={query}
          pinned={false}
          mistake={mistake}
          group={undefined}
          detail="full"
          isRoomy
          isStale={false}
          skew={0}
        />
      ))}
    </>
  )
}

/** In how many of the newest builds values are looked for. */
const most = 2000

/** What the editor of a tile's query knows: values are those of the newest builds of the feed. */
function useWallAssistance(timeZone: string): QueryAssistance {
  const { feed } = useServices()
  const ticker = useTicker()
  const [history] = usePastQueries()
  return useMemo(() => {
    const newest = (): Facts[] => {
      const { oldest, newest: last, row } = feed.getSnapshot()
      const first = Math.max(oldest, last - most)
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
        return row(last - index)?.facts
      }).filter((facts) => facts !== undefined)
    }
    return {
      timeZone,
      now: ticker.now,
      history,
      values: (field, pair) => seenValues(newest(), field, pair),
    }
  }, [feed, ticker, timeZone, history])
}
