import { Box, Checkbox, Input, Stack, TextInput } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import { longestTileTitle, type WallTile } from '../../../protocol/wall.ts'
import type { Feed } from '../../data/live/feed-state.ts'
import { useServices } from '../../data/core/services.ts'
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
import { WallTile as TilePreview } from './wall-tile.tsx'
import { useWallTiles } from './wall-tiles.ts'
import css from './wall.module.css'

/** How long typing rests before the tile is searched, ms: each text is a search of its own. */
const restMs = 800

/** One tile of a draft, and how it looks at this moment. */
export function TileEditor({
  tile,
  onChange,
}: {
  tile: WallTile
  /** Parts of it are changed; `field` names the one that somebody types in. */
  onChange: (part: Partial<WallTile>, field: string) => void
}): ReactElement {
  const { zone } = usePreferences()
  const timeZone = viewerZone(zone)
  const assistance = useWallAssistance(timeZone)
  const rested = useRested(tile.query, restMs)
  return (
    <Stack gap="md" miw={0}>
      <TextInput
        label="Tile title"
        maxLength={longestTileTitle}
        value={tile.title}
        onChange={({ currentTarget }) => {
          onChange({ title: currentTarget.value }, 'title')
        }}
      />
      <Input.Wrapper label="Query" labelElement="div">
        <QueryEditor
          text={tile.query}
          onChange={(query) => {
            onChange({ query }, 'query')
          }}
          onRun={(query) => {
            onChange({ query }, 'query')
          }}
          label="Tile query"
          assistance={assistance}
        />
      </Input.Wrapper>
      <QueryExplanation text={tile.query} timeZone={timeZone} />
      <TextInput
        label="Branch"
        description="Its builds decide the color. Leave empty for the default branch, or enter * for all."
        placeholder="Default branch"
        value={tile.branch ?? ''}
        onChange={({ currentTarget: { value } }) => {
          onChange({ branch: value === '' ? undefined : value }, 'branch')
        }}
      />
      <Checkbox
        label="Pin to the front"
        checked={tile.pinned}
        onChange={({ currentTarget }) => {
          onChange({ pinned: currentTarget.checked }, 'pinned')
        }}
      />
      {/* Its place is kept: what is below must not move under a pointer. */}
      <Box
        className={css.preview}
        display="grid"
        w="min(100%, 360px)"
        h="9.8em"
        fz={16}
        role="group"
        aria-label="Tile preview"
      >
        {rested.trim() !== '' && <Preview tile={previewed(tile, rested)} timeZone={timeZone} />}
      </Box>
    </Stack>
  )
}

/** As it is saved: an empty branch is none. */
function previewed({ branch = '', ...tile }: WallTile, query: string): WallTile {
  return { ...tile, query, ...(branch.trim() === '' ? {} : { branch: branch.trim() }) }
}

/** As its box has it, px; it is seen from near. */
const previewRoom = { width: 280, height: 156, text: 16, smallest: 12 } as const

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
          claim={undefined}
          sleep={undefined}
          detail="full"
          {...previewRoom}
          hasQr={false}
          isStale={false}
          skew={0}
        />
      ))}
    </>
  )
}

/** In how many of the newest builds values are looked for. */
const most = 2000

/** The newest builds of the feed, the newest first. */
export function newestBuilds(feed: Pick<Feed, 'getSnapshot'>): Facts[] {
  const { oldest, newest, row } = feed.getSnapshot()
  const first = Math.max(oldest, newest - most)
  return Array.from({ length: Math.max(0, newest - first + 1) }, (_, index) => {
    return row(newest - index)?.facts
  }).filter((facts) => facts !== undefined)
}

/** What the editor of a tile's query knows: values are those of the newest builds of the feed. */
function useWallAssistance(timeZone: string): QueryAssistance {
  const { feed } = useServices()
  const ticker = useTicker()
  const [history] = usePastQueries()
  return useMemo(() => {
    return {
      timeZone,
      now: ticker.now,
      history,
      values: (field, pair) => seenValues(newestBuilds(feed), field, pair),
    }
  }, [feed, ticker, timeZone, history])
}
