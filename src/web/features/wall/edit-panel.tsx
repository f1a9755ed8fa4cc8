import { type ReactElement, useState } from 'react'
import { Wall, type WallTile } from '../../../protocol/wall.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { TileEditor } from './tile-editor.tsx'
import { mostTiles } from '../../domain/wall/tiles-in-link.ts'
import { useWallCommands } from './use-wall-commands.ts'
import type { PanelProps } from './panel-props.ts'
import css from './wall-panels.module.css'

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
    : 'To save it, give the wall a name of letters, digits, dots, hyphens or underscores.'

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
    <>
      <div className={css.fields}>
        <label htmlFor="wall-title">Title</label>
        <input
          id="wall-title"
          className={css.input}
          value={title}
          onChange={({ currentTarget }) => {
            setTitle(currentTarget.value)
          }}
        />
        <label htmlFor="wall-order">Order</label>
        <select
          id="wall-order"
          className={css.input}
          value={order}
          onChange={({ currentTarget }) => {
            setOrder(Wall.shape.order.parse(currentTarget.value))
          }}
        >
          <option value="failing-first">Failing first</option>
          <option value="stable">Stable places</option>
        </select>
        <label htmlFor="wall-group">Group</label>
        <select
          id="wall-group"
          className={css.input}
          value={group}
          onChange={({ currentTarget }) => {
            setGroup(Wall.shape.group.parse(currentTarget.value))
          }}
        >
          <option value="none">None</option>
          <option value="project">By project</option>
          <option value="tool">By tool</option>
        </select>
      </div>
      <div className={css.row}>
        <button
          type="button"
          className={css.button}
          disabled={tiles.length >= mostTiles}
          onClick={() => {
            setTiles([...tiles, { title: 'New tile', query: '', pinned: false }])
            setSelected(tiles.length)
          }}
        >
          Add a tile
        </button>
        <button
          type="button"
          className={css.button}
          disabled={selected <= 0}
          onClick={() => {
            move(-1)
          }}
        >
          Move up
        </button>
        <button
          type="button"
          className={css.button}
          disabled={selected >= tiles.length - 1}
          onClick={() => {
            move(1)
          }}
        >
          Move down
        </button>
        <button
          type="button"
          className={css.button}
          disabled={tile === undefined}
          onClick={() => {
            setTiles(tiles.toSpliced(selected, 1))
            setSelected(Math.max(0, selected - 1))
          }}
        >
          Remove
        </button>
      </div>
      <div className={css.columns}>
        <ul className={css.list} aria-label="Tiles">
          {tiles.map((each, index) => (
            // Tiles have no identity but their place: two may ask the same under one title.
            <li key={index}>
              <button
                type="button"
                className={css.item}
                aria-current={index === selected}
                onClick={() => {
                  setSelected(index)
                }}
              >
                {each.pinned ? `${each.title} (pinned)` : each.title}
              </button>
            </li>
          ))}
        </ul>
        {tile === undefined ? (
          <p className={css.hint}>No tiles: the wall shows one for each project that arrives.</p>
        ) : (
          <TileEditor
            key={selected}
            tile={tile}
            onChange={(next) => {
              setTiles(tiles.with(selected, next))
            }}
          />
        )}
      </div>
      <div className={css.row}>
        <button
          type="button"
          className={css.main}
          onClick={() => {
            commands.show(draft(name))
            onClose()
          }}
        >
          Show
        </button>
        <label htmlFor="wall-name">Name</label>
        <span>
          <input
            id="wall-name"
            className={css.input}
            value={saveAs}
            onChange={({ currentTarget }) => {
              setSaveAs(currentTarget.value)
            }}
          />
        </span>
        <button
          type="button"
          className={css.button}
          disabled={nameMistake !== undefined}
          onClick={() => {
            commands.save(draft(saveAs))
            onClose()
          }}
        >
          Save on this device
        </button>
        {walls.some((saved) => saved.name === name) && (
          <button
            type="button"
            className={css.button}
            onClick={() => {
              commands.forget()
              onClose()
            }}
          >
            Forget what was saved
          </button>
        )}
      </div>
      {nameMistake !== undefined && <p className={css.hint}>{nameMistake}</p>}
    </>
  )
}
