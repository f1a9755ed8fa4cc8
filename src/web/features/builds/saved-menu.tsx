import {
  ActionIcon,
  Button,
  CloseButton,
  Group,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { configQuery } from '../../data/core/server-config.ts'
import { type SavedQuery, usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'
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
  const isEmpty = query.query.trim() === ''
  const keep = (next: readonly SavedQuery[]): void => {
    store.change({ savedQueries: next })
  }
  return (
    <MenuPopover label="Saved" width={360}>
      {(close) => (
        <>
          <NameForm
            label="Name for this query"
            button="Save"
            isDisabled={isEmpty}
            {...(isEmpty && { placeholder: 'Run a query to save it' })}
            onName={(name) => {
              keep(withSaved(savedQueries, { ...query, name }))
            }}
          />
          <Text fz="xs" fw={600} c="dimmed">
            On this device
          </Text>
          {savedQueries.length === 0 && (
            <Text fz="xs" c="dimmed">
              None yet.
            </Text>
          )}
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
          {shared.length > 0 && (
            <Text fz="xs" fw={600} c="dimmed">
              Shared
            </Text>
          )}
          {shared.map((saved) => (
            <Choice
              key={saved.name}
              name={saved.name}
              text={saved.description ?? saved.query}
              onRun={() => {
                close()
                onRun({ query: saved.query })
              }}
            />
          ))}
        </>
      )}
    </MenuPopover>
  )
}

/** A field for a name, and the button that takes it. */
function NameForm({
  label,
  initial = '',
  button,
  isDisabled = false,
  placeholder = label,
  onName,
}: {
  label: string
  initial?: string
  button: string
  isDisabled?: boolean
  placeholder?: string
  onName: (name: string) => void
}): ReactElement {
  const [name, setName] = useState(initial)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '' || isDisabled) return
        onName(name.trim())
        setName('')
      }}
    >
      <Group gap={4} wrap="nowrap">
        <TextInput
          flex={1}
          value={name}
          placeholder={placeholder}
          aria-label={label}
          disabled={isDisabled}
          maxLength={80}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value)
          }}
        />
        <Button type="submit" disabled={isDisabled || name.trim() === ''}>
          {button}
        </Button>
      </Group>
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
  const [isRenaming, setRenaming] = useState(false)
  if (isRenaming) {
    return (
      <NameForm
        label={`New name for ${saved.name}`}
        initial={saved.name}
        button="Rename"
        onName={(name) => {
          onRename(name)
          setRenaming(false)
        }}
      />
    )
  }
  return (
    <Group gap={4} wrap="nowrap">
      <Choice name={saved.name} text={saved.query} onRun={onRun} />
      <ActionIcon
        variant="subtle"
        size="sm"
        aria-label={`Rename ${saved.name}`}
        title="Rename"
        onClick={() => {
          setRenaming(true)
        }}
      >
        ✎
      </ActionIcon>
      <CloseButton
        size="sm"
        aria-label={`Delete ${saved.name}`}
        title="Delete"
        onClick={onDelete}
      />
    </Group>
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
    <UnstyledButton flex={1} miw={0} py={4} onClick={onRun}>
      <Text truncate>{name}</Text>
      <Text truncate fz="xs" c="dimmed" ff="monospace">
        {text}
      </Text>
    </UnstyledButton>
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
