import { Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { type ReactElement, type ReactNode, useRef, useState } from 'react'
import { longestQueryName, type StoredQuery } from '../../../protocol/saved-query.ts'
import type { SavedQueryTask } from '../../data/queries/saved-queries.ts'
import { Notice } from '../../ui/notice.tsx'

/** A query, and the zone of its times where those have none. */
export interface RunnableQuery {
  readonly query: string
  readonly zone?: string | undefined
}

/** A saved query: a click runs it, and what can be done with it unfolds. */
export function SavedItem({
  saved,
  shown,
  isGone,
  whyNotShared,
  onRun,
  onTask,
  onDelete,
  onRename,
}: {
  saved: StoredQuery
  /** It was deleted elsewhere, or isn't shared any more, while a name for it was typed. */
  isGone: boolean
  /** The query that is shown: what it can be changed to. */
  shown: RunnableQuery
  whyNotShared: string | undefined
  onRun: (query: RunnableQuery) => void
  onTask: (task: SavedQueryTask, onDone?: () => void) => void
  onDelete: () => void
  onRename: (isOpen: boolean) => void
}): ReactElement {
  const [open, unfold] = useState<'no' | 'actions' | 'rename'>('no')
  const setOpen = (next: typeof open): void => {
    unfold(next)
    onRename(next === 'rename')
  }
  const edit = useRef<HTMLButtonElement>(null)
  const { id, name, query, zone, version, shared, mine } = saved
  const change = (part: Partial<StoredQuery>): void => {
    onTask({ is: 'change', id, change: { version, ...part } }, () => {
      setOpen('no')
      edit.current?.focus()
    })
  }
  const isSame = shown.query === query && (shown.zone ?? null) === zone
  return (
    <div>
      <Group gap={4} wrap="nowrap">
        <Choice
          name={name}
          text={query}
          {...(shared && { by: mine ? 'you' : saved.by })}
          onRun={() => {
            onRun(zone === null ? { query } : { query, zone })
          }}
        />
        <Button
          ref={edit}
          size="compact-xs"
          variant="subtle"
          aria-expanded={open !== 'no'}
          aria-label={`Edit ${name}`}
          disabled={shared && whyNotShared !== undefined}
          title={shared ? whyNotShared : undefined}
          onClick={() => {
            setOpen(open === 'no' ? 'actions' : 'no')
          }}
        >
          Edit
        </Button>
      </Group>
      {isGone && (
        <Notice
          role="alert"
          tone="bad"
          action={
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                onTask({ is: 'restore', id })
              }}
            >
              Restore
            </Button>
          }
        >
          {`${name} was deleted or is no longer shared.`}
        </Notice>
      )}
      {open === 'rename' && (
        <Rename
          name={name}
          onName={(next) => {
            change({ name: next })
          }}
        />
      )}
      {open === 'actions' && (
        <Group gap={4} role="group" aria-label={name}>
          <Action
            label="Rename"
            onClick={() => {
              setOpen('rename')
            }}
          />
          <Action
            label="Replace with this query"
            isDisabled={isSame || shown.query.trim() === ''}
            onClick={() => {
              change({ query: shown.query, zone: shown.zone ?? null })
            }}
          />
          {mine && (
            <Action
              label={shared ? 'Stop sharing' : 'Share with everyone'}
              isDisabled={whyNotShared !== undefined}
              title={whyNotShared}
              onClick={() => {
                change({ shared: !shared })
              }}
            />
          )}
          <Action label="Delete" onClick={onDelete} />
        </Group>
      )}
    </div>
  )
}

function Action({
  label,
  title,
  isDisabled = false,
  onClick,
}: {
  label: string
  title?: string | undefined
  isDisabled?: boolean
  onClick: () => void
}): ReactElement {
  return (
    <Button
      size="compact-xs"
      variant="default"
      disabled={isDisabled}
      title={title}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}

function Rename({ name, onName }: { name: string; onName: (name: string) => void }): ReactElement {
  const [typed, setTyped] = useState(name)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() !== '') onName(typed.trim())
      }}
    >
      <NameField
        label={`New name for ${name}`}
        name={typed}
        button="Rename"
        isSending={false}
        onName={setTyped}
      />
    </form>
  )
}

/** A query to run, under its name. */
export function Choice({
  name,
  text,
  by,
  onRun,
}: {
  name: string
  text: string
  by?: string
  onRun: () => void
}): ReactElement {
  return (
    <UnstyledButton flex={1} miw={0} py={4} onClick={onRun} title={`${name}\n${text}`}>
      <Text truncate>
        {name}
        {by !== undefined && (
          <Text span inherit fz="xs" c="dimmed">
            {` by ${by}`}
          </Text>
        )}
      </Text>
      <Text truncate fz="xs" c="dimmed" ff="monospace">
        {text}
      </Text>
    </UnstyledButton>
  )
}

/** A field for a name, and the button that takes it. */
export function NameField({
  label,
  placeholder = label,
  name,
  button,
  isDisabled = false,
  isSending,
  onName,
}: {
  label: string
  placeholder?: string
  name: string
  button: string
  isDisabled?: boolean
  isSending: boolean
  onName: (name: string) => void
}): ReactElement {
  const isOff = isDisabled || isSending || name.trim() === ''
  return (
    <Group gap={4} wrap="nowrap">
      <TextInput
        flex={1}
        value={name}
        placeholder={placeholder}
        aria-label={label}
        disabled={isDisabled}
        maxLength={longestQueryName}
        onChange={({ currentTarget }) => {
          onName(currentTarget.value)
        }}
      />
      {/* Not disabled: it would lose the focus that it has when it was pressed. */}
      <Button type="submit" {...(isOff && { 'data-disabled': true })} aria-disabled={isOff}>
        {isSending ? 'Saving…' : button}
      </Button>
    </Group>
  )
}

/** Queries of one kind under their heading. */
export function Section({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <Stack component="section" aria-label={title} gap={2}>
      <Text fz="xs" fw={600} c="dimmed">
        {title}
      </Text>
      {children}
    </Stack>
  )
}
