import type { ReactElement } from 'react'
import type { WallTile as Tile } from '../../../protocol/wall.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { QueryEditor } from '../../ui/query-editor/query-editor.tsx'
import { QueryExplanation } from '../../ui/query-editor/query-explanation.tsx'
import { useRested } from '../../ui/query-editor/query-assistance.ts'
import { viewerZone } from '../../ui/format.ts'
import { useWallAssistance } from './use-wall-assistance.ts'
import { useWallTiles } from './use-wall-tiles.ts'
import css from './wall-panels.module.css'
import { WallTile } from './wall-tile.tsx'

/** How long typing rests before the tile is asked for, ms: each text is a search of its own. */
const restMs = 800

/** One tile of a draft, and how it would look. */
export function TileEditor({
  tile,
  onChange,
}: {
  tile: Tile
  onChange: (tile: Tile) => void
}): ReactElement {
  const { zone } = usePreferences()
  const timeZone = viewerZone(zone)
  const assistance = useWallAssistance(timeZone)
  const rested = useRested(tile.query, restMs)
  return (
    <div className={css.tools}>
      <div className={css.fields}>
        <label htmlFor="tile-title">Title of the tile</label>
        <input
          id="tile-title"
          className={css.input}
          value={tile.title}
          onChange={({ currentTarget }) => {
            onChange({ ...tile, title: currentTarget.value })
          }}
        />
        <label htmlFor="tile-pinned">Pinned in front</label>
        <span>
          <input
            id="tile-pinned"
            type="checkbox"
            checked={tile.pinned}
            onChange={({ currentTarget }) => {
              onChange({ ...tile, pinned: currentTarget.checked })
            }}
          />
        </span>
      </div>
      <QueryEditor
        text={tile.query}
        onChange={(query) => {
          onChange({ ...tile, query })
        }}
        onRun={(query) => {
          onChange({ ...tile, query })
        }}
        label="Query of the tile"
        assistance={assistance}
      />
      <QueryExplanation text={tile.query} timeZone={timeZone} />
      {/* Its place is kept: what is below must not move under a pointer. */}
      <div className={css.preview} role="group" aria-label="Preview of the tile">
        {rested.trim() !== '' && <Preview tile={{ ...tile, query: rested }} timeZone={timeZone} />}
      </div>
    </div>
  )
}

function Preview({ tile, timeZone }: { tile: Tile; timeZone: string }): ReactElement {
  const { tiles, placed } = useWallTiles([{ tiles: [tile] }], 0, timeZone)
  return (
    <>
      {placed.flat().map(({ key, title, query, mistake }) => (
        <WallTile
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
