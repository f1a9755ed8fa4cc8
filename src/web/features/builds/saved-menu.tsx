import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { configQuery } from '../../data/core/server-config.ts'
import { type SavedQuery, usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'
import css from './builds.module.css'
import { useServices } from '../../data/core/services.ts'

/** Queries under their names: those kept on this device, and those that all share. */
export function SavedMenu({
  query,
  onRun,
}: {
  /** What is shown; without a name. */
  query: Omit<SavedQuery, 'name'>
  onRun: (query: Omit<SavedQuery, 'name'>) => void
}): ReactElement {
  const store = usePreferenceStore()
  const { savedQueries } = usePreferences()
  const shared = useQuery(configQuery(useServices().request)).data?.savedQueries ?? []
  const keep = (next: readonly SavedQuery[]): void => {
    store.change({ savedQueries: next })
  }
  return (
    <MenuPopover label="Saved" width={360}>
      {(close) => (
        <>
          <SaveForm
            isEmpty={query.query.trim() === ''}
            onSave={(name) => {
              keep(withSaved(savedQueries, { ...query, name }))
            }}
          />
          <p className={css.heading}>On this device</p>
          {savedQueries.length === 0 && <p className={css.text}>None yet.</p>}
          <ul className={css.menuList}>
            {savedQueries.map((saved) => (
              <SavedItem
                key={saved.name}
                saved={saved}
                onRun={() => {
                  close()
                  onRun(saved)
                }}
                onRename={(name) => {
                  keep(renamedSaved(savedQueries, saved.name, name))
                }}
                onDelete={() => {
                  keep(withoutSaved(savedQueries, saved.name))
                }}
              />
            ))}
          </ul>
          {shared.length > 0 && <p className={css.heading}>Shared</p>}
          <ul className={css.menuList}>
            {shared.map((saved) => (
              <li key={saved.name} className={css.item}>
                <Choice
                  name={saved.name}
                  text={saved.description ?? saved.query}
                  onRun={() => {
                    close()
                    onRun({ query: saved.query })
                  }}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </MenuPopover>
  )
}

function SaveForm({
  isEmpty,
  onSave,
}: {
  isEmpty: boolean
  onSave: (name: string) => void
}): ReactElement {
  const [name, setName] = useState('')
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '' || isEmpty) return
        onSave(name.trim())
        setName('')
      }}
    >
      <input
        className={css.field}
        value={name}
        placeholder={isEmpty ? 'Run a query to save it' : 'Name for this query'}
        aria-label="Name for this query"
        disabled={isEmpty}
        maxLength={80}
        onChange={({ currentTarget }) => {
          setName(currentTarget.value)
        }}
      />
      <Button size="xs" type="submit" disabled={isEmpty || name.trim() === ''}>
        Save
      </Button>
    </form>
  )
}

function SavedItem({
  saved,
  onRun,
  onRename,
  onDelete,
}: {
  saved: SavedQuery
  onRun: () => void
  onRename: (name: string) => void
  onDelete: () => void
}): ReactElement {
  const [typed, setTyped] = useState<string>()
  if (typed !== undefined) {
    return (
      <li>
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault()
            onRename(typed)
            setTyped(undefined)
          }}
        >
          <input
            className={css.field}
            value={typed}
            aria-label={`New name for ${saved.name}`}
            maxLength={80}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value)
            }}
          />
          <Button size="xs" type="submit">
            Rename
          </Button>
        </form>
      </li>
    )
  }
  return (
    <li className={css.item}>
      <Choice name={saved.name} text={saved.query} onRun={onRun} />
      <button
        type="button"
        className={css.icon}
        aria-label={`Rename ${saved.name}`}
        title="Rename"
        onClick={() => {
          setTyped(saved.name)
        }}
      >
        ✎
      </button>
      <button
        type="button"
        className={css.icon}
        aria-label={`Delete ${saved.name}`}
        title="Delete"
        onClick={onDelete}
      >
        ✕
      </button>
    </li>
  )
}

function Choice({
  name,
  text,
  onRun,
}: {
  name: string
  text: string
  onRun: () => void
}): ReactElement {
  return (
    <button type="button" className={css.choice} onClick={onRun}>
      <span className={css.name}>{name}</span>
      <span className={`${css.dim ?? ''} ${css.mono ?? ''}`}>{text}</span>
    </button>
  )
}

/** With a query under its name, in place of one that had it; by name. */
export function withSaved(saved: readonly SavedQuery[], query: SavedQuery): readonly SavedQuery[] {
  return [...withoutSaved(saved, query.name), query].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Without the query of that name. */
export function withoutSaved(saved: readonly SavedQuery[], name: string): readonly SavedQuery[] {
  return saved.filter((other) => other.name !== name)
}

/** With another name for a query; nothing changes where the new one is empty. */
export function renamedSaved(
  saved: readonly SavedQuery[],
  name: string,
  next: string,
): readonly SavedQuery[] {
  const query = saved.find((other) => other.name === name)
  const wanted = next.trim()
  if (query === undefined || wanted === '') return saved
  return withSaved(withoutSaved(saved, name), { ...query, name: wanted })
}
