import { Button, Group, Menu, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactElement, type ReactNode, useRef } from 'react'
import { countOf } from '../../../protocol/count.ts'
import {
  longestWallNote,
  type WallContent,
  WallContent as Content,
  type WallRevision,
} from '../../../protocol/wall.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { MenuCaret } from '../../ui/menu-caret.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { EditedWall, EditStart, LatestWall } from './use-wall-draft.ts'
import { wallPath } from './wall-link.ts'
import { wallChanges } from './wall-revisions.tsx'

/** Saves a draft for everyone under a name; why that was refused, and what can be done then. */
export function SaveForm({
  start,
  latest,
  wall,
  onDelete,
  children,
}: {
  start: EditStart
  latest: LatestWall | undefined
  wall: EditedWall
  onDelete: () => void
  /** What else can be done with it. */
  children: ReactNode
}): ReactElement {
  const { name, nameMistake, wrongTiles, conflict, task, begun, save } = wall
  const field = useRef<HTMLInputElement>(null)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save(begun.base)
        if (name === '' || nameMistake !== undefined) field.current?.focus()
      }}
    >
      <Stack gap={12}>
        <TextInput
          ref={field}
          label="Name"
          description={nameText(name, start, nameMistake !== undefined)}
          value={name}
          error={nameMistake}
          onChange={({ currentTarget: { value } }) => {
            wall.setName(value)
          }}
        />
        <Textarea
          label="What changed"
          description="Optional, for the history."
          autosize
          maxLength={longestWallNote}
          value={wall.note}
          onChange={({ currentTarget: { value } }) => {
            wall.setNote(value)
          }}
        />
        {wall.isTaken && <Notice>A wall named {name} already exists. Choose another name.</Notice>}
        {wrongTiles > 0 && (
          <Notice role="alert" tone="bad">
            {countOf(wrongTiles, 'tile')} can't be saved yet. Fix what is marked in the list.
          </Notice>
        )}
        {task.error !== null && (
          <Notice
            role="alert"
            tone="bad"
            action={
              conflict !== undefined && (
                <Group gap={8}>
                  {!conflict.deleted && (
                    <Button
                      variant="default"
                      onClick={() => {
                        wall.takeOver(conflict)
                        task.reset()
                      }}
                    >
                      Use revision {conflict.number}
                    </Button>
                  )}
                  <PermittedButton
                    permission="edit-walls"
                    variant="default"
                    type="button"
                    onClick={() => {
                      save(conflict.number)
                    }}
                  >
                    Save mine over it
                  </PermittedButton>
                </Group>
              )
            }
          >
            {task.error.message}
            {conflict !== undefined && ` ${changesText(begun.content, conflict)}`}
          </Notice>
        )}
        <Group gap={8}>
          <PermittedButton permission="edit-walls" type="submit" loading={task.isPending}>
            Save for everyone
          </PermittedButton>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" rightSection={<MenuCaret />}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>{children}</Menu.Dropdown>
          </Menu>
          {latest !== undefined && !latest.isDeleted && (
            <PermittedButton
              permission="edit-walls"
              type="button"
              variant="default"
              onClick={() => {
                onDelete()
              }}
            >
              Delete…
            </PermittedButton>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** What somebody else has changed; empty where that is nothing that is seen. */
function changesText(since: WallContent, theirs: WallRevision): string {
  const changes = theirs.deleted ? [] : wallChanges(since, Content.parse(theirs))
  return changes.length === 0 ? '' : `Revision ${theirs.number}: ${changes.join('. ')}.`
}

/** Asks before a wall is deleted for everyone. */
export function DeleteDialog({
  name,
  task,
  onClose,
  onDelete,
}: {
  name: string
  task: EditedWall['task']
  onClose: () => void
  onDelete: () => void
}): ReactElement {
  return (
    <FormDialog
      title={`Delete wall ${name}?`}
      confirm="Delete"
      isSending={task.isPending}
      refusal={task.error?.message}
      onClose={onClose}
      onConfirm={onDelete}
    >
      <Text>
        Screens that show it say that it isn't found. You can restore it from the list of walls.
      </Text>
    </FormDialog>
  )
}

function nameText(name: string, start: EditStart, isWrong: boolean): string {
  if (isWrong) return 'The last part of its address.'
  const isCopy = start.name !== '' && name !== start.name
  return `${isCopy ? `A copy; ${start.name} stays as it is. ` : ''}Address: ${wallPath(name)}`
}
