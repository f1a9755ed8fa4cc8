import type { ReactElement } from 'react'
import {
  columnMeaning,
  columnOfValue,
  movedColumn,
  plainColumns,
  resizedColumn,
  type ShownColumn,
  toggledColumn,
} from '../../domain/build-table/build-columns.tsx'
import css from './builds.module.css'
import { MenuPopover } from '../../ui/menu-popover.tsx'

/** Which columns there are, in which order and how wide. */
export function ColumnMenu({
  columns,
  valueNames,
  onChange,
  onReset,
}: {
  columns: readonly ShownColumn[]
  /** The custom values of the builds shown, the most frequent first. */
  valueNames: readonly string[]
  onChange: (columns: readonly ShownColumn[]) => void
  onReset: () => void
}): ReactElement {
  const offered = [...plainColumns, ...valueNames.map(columnOfValue)].filter(
    (name) => !columns.some((column) => column.name === name),
  )
  return (
    <MenuPopover label="Columns" width={340}>
      {() => (
        <>
          <p className={css.heading}>Shown, from left to right</p>
          <ul className={css.menuList}>
            {columns.map((column, index) => (
              <ShownItem
                key={column.name}
                column={column}
                isFirst={index === 0}
                isLast={index === columns.length - 1}
                columns={columns}
                onChange={onChange}
              />
            ))}
          </ul>
          <p className={css.heading}>More</p>
          <ul className={css.menuList}>
            {offered.map((name) => (
              <li key={name} className={css.item}>
                <label className={css.choice}>
                  <input
                    type="checkbox"
                    checked={false}
                    onChange={() => {
                      onChange(toggledColumn(columns, name))
                    }}
                  />{' '}
                  {columnMeaning(name).heading}
                </label>
              </li>
            ))}
          </ul>
          <div className={css.item}>
            <button type="button" className={css.choice} onClick={onReset}>
              Reset columns
            </button>
          </div>
        </>
      )}
    </MenuPopover>
  )
}

function ShownItem({
  column: { name, width },
  isFirst,
  isLast,
  columns,
  onChange,
}: {
  column: ShownColumn
  isFirst: boolean
  isLast: boolean
  columns: readonly ShownColumn[]
  onChange: (columns: readonly ShownColumn[]) => void
}): ReactElement {
  const { heading } = columnMeaning(name)
  const move = (by: number): void => {
    onChange(movedColumn(columns, name, by))
  }
  return (
    <li className={css.item}>
      <label className={css.choice}>
        <input
          type="checkbox"
          checked
          disabled={columns.length === 1}
          onChange={() => {
            onChange(toggledColumn(columns, name))
          }}
        />{' '}
        {heading}
      </label>
      <input
        type="number"
        className={css.width}
        aria-label={`Width of ${heading} in pixels`}
        step={20}
        value={width}
        onChange={({ currentTarget }) => {
          const typed = currentTarget.valueAsNumber
          if (!Number.isNaN(typed)) onChange(resizedColumn(columns, name, typed))
        }}
      />
      <button
        type="button"
        className={css.icon}
        aria-label={`Move ${heading} to the left`}
        disabled={isFirst}
        onClick={() => {
          move(-1)
        }}
      >
        ↑
      </button>
      <button
        type="button"
        className={css.icon}
        aria-label={`Move ${heading} to the right`}
        disabled={isLast}
        onClick={() => {
          move(1)
        }}
      >
        ↓
      </button>
    </li>
  )
}
